// An argument whose memory a result could take: equal shape and sharding, and neither is aliased.
//
// A training step returns its parameters and optimizer state. Without donate_argnums both the old
// and the new ones are in memory. Each result is paired with one argument, in order.
//
// Cost: a table lookup for each argument and result.

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

void CheckDonation(const LintProgram& program, double budget, std::vector<Finding>* found) {
  std::map<std::pair<std::string, std::string>, int64_t> free_results;
  for (const LintTensor& t : program.tensors) {
    if (t.result >= 0 && !t.is_aliased) ++free_results[{t.shape, t.spec}];
  }
  for (const LintTensor& t : program.tensors) {
    const auto bytes = static_cast<double>(t.bytes);
    if (t.argument < 0 || t.is_aliased || bytes <= budget) continue;
    const auto result = free_results.find({t.shape, t.spec});
    if (result == free_results.end() || result->second == 0) continue;
    --result->second;
    Finding& finding = found->emplace_back();
    finding.name = t.name;
    finding.location = t.location;
    finding.message =
        absl::StrCat("argument ", t.argument, ", ", CalledIn(t), " ", t.shape, " ", t.spec,
                     ", is not donated, and a result has its shape and "
                     "sharding: ",
                     layout::FormatBytes(t.bytes), " twice");
    finding.fix = "donate it, as in jax.jit(step, donate_argnums=0), if the caller drops it";
    finding.amount = bytes;
  }
}

}  // namespace tessera::pipeline::lint
