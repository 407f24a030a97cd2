// All-gathers in a loop: the same bytes, or those of a layer, in every run.
//
// A weight that is sharded over the batch axis (FSDP) is gathered in each run by design; an
// activation is not. The budget is of one collective, all runs together.

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

void CheckLoopGathers(const LintProgram& program, double budget, std::vector<Finding>* found) {
  for (const LintCollective& c : program.collectives) {
    const auto sent = static_cast<double>(c.sent);
    if (c.op != "all-gather" || c.loop.empty() || sent <= budget) continue;
    Finding& finding = found->emplace_back();
    finding.name = c.consumer;
    finding.location = c.location;
    finding.message =
        absl::StrCat("all-gather ", c.shape, " over ", c.axes, " in loop ", c.loop, " runs ",
                     c.runs, " times: each device sends ", layout::FormatBytes(c.sent));
    finding.fix =
        "keep the value sharded in the loop; one that the loop does not compute can be gathered "
        "before it, if memory allows; " +
        AnnotationsFix(c);
    finding.amount = sent;
  }
}

}  // namespace tessera::pipeline::lint
