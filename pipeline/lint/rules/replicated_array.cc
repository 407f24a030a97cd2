// A large array that no mesh axis shards: each device holds, and computes, all of it.
//
//   params['w'] f32[4096,4096] P() on a mesh of 8: 64 MiB on each device
//
// Arrays of one shape and one line are one finding: a layer's weight, and what casts or moves it.

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

void CheckReplicatedArrays(const LintProgram& program, double budget, std::vector<Finding>* found) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const LintTensor& t : program.tensors) {
    const auto bytes = static_cast<double>(t.bytes);
    if (!t.is_made || t.result >= 0 || t.devices < 2 || t.shares > 1 || bytes <= budget) continue;
    if (!t.location.empty() && !seen.emplace(t.shape, t.location).second) continue;
    Finding& finding = found->emplace_back();
    finding.name = t.name;
    finding.location = t.location;
    finding.message = absl::StrCat(DisplayName(t), " ", t.shape, " is replicated on ", t.devices,
                                   " devices: ", layout::FormatBytes(t.bytes), " on each");
    finding.fix = absl::StrCat(
        t.argument >= 0 ? "shard the argument" : "constrain it with with_sharding_constraint",
        "; `tessera explain FILE ", t.name, "` says why it is replicated");
    finding.amount = bytes;
  }
}

}  // namespace tessera::pipeline::lint
