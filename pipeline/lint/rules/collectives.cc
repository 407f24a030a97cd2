// Budgets of collectives: of each, and of all of a step together. Without a budget of the user's
// neither has findings: how much is too much depends on the program.

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

void CheckCollectives(const LintProgram& program, double budget, std::vector<Finding>* found) {
  for (const LintCollective& c : program.collectives) {
    const auto sent = static_cast<double>(c.sent);
    if (sent <= budget) continue;
    Finding& finding = found->emplace_back();
    finding.name = c.consumer;
    finding.location = c.location;
    finding.message = absl::StrCat(
        c.op, " ", c.shape, " over ", c.axes, ": each device sends ", layout::FormatBytes(c.sent),
        c.runs > 1 ? absl::StrCat(" in ", c.runs, " runs") : std::string());
    const bool is_sum = c.op == "all-reduce" || c.op == "reduce-scatter";  // no reshard
    finding.fix = is_sum ? "`tessera suggest FILE` tries other annotations"
                         : "`tessera reshards FILE` tries annotations that avoid it";
    finding.amount = sent;
  }
}

void CheckSentBytes(const LintProgram& program, double budget, std::vector<Finding>* found) {
  double sent = 0;
  for (const LintCollective& c : program.collectives) sent += static_cast<double>(c.sent);
  if (sent <= budget) return;
  Finding& finding = found->emplace_back();
  finding.name = "the program";
  finding.location = program.collectives.front().location;
  const size_t count = program.collectives.size();
  finding.message = absl::StrCat(
      count, count == 1 ? " collective" : " collectives", ", each device sends ",
      layout::FormatBytes(static_cast<int64_t>(sent)), "; the largest is at this line");
  finding.fix = "`tessera collectives FILE --by=line` lists the lines";
  finding.amount = sent;
}

}  // namespace tessera::pipeline::lint
