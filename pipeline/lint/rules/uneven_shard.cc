// A dimension that its axes do not divide: the largest share has more than its part.
//
//   f32[6,1024] over 4 devices: shares of 2 rows, 8 rows in all; the last device holds nothing

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

void CheckUnevenShards(const LintProgram& program, double budget, std::vector<Finding>* found) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const LintTensor& t : program.tensors) {
    const double even = static_cast<double>(t.whole) / static_cast<double>(t.shares);
    const double excess = static_cast<double>(t.bytes) - even;
    if (t.shares < 2 || excess <= budget) continue;
    if (!t.location.empty() && !seen.emplace(t.shape, t.location).second) continue;
    Finding& finding = found->emplace_back();
    finding.name = t.name;
    finding.location = t.location;
    finding.message = absl::StrCat(DisplayName(t), " ", t.shape, " ", t.spec,
                                   " does not divide into ", t.shares, " shares: the largest is ",
                                   layout::FormatBytes(static_cast<int64_t>(excess)), " too large");
    finding.fix = "pad the dimension in the program, or shard one that the axes divide";
    finding.amount = excess;
  }
}

}  // namespace tessera::pipeline::lint
