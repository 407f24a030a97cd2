// An array that each device holds whole on the way from one sharding to another.
//
//   x f32[64,64,128] P('model', None, 'data') -> P(None, ('data', 'model'), None)
//
// XLA's partitioner tries a list of direct ways. Without one it gathers the array and slices it.

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {
namespace {

std::string SpecText(const std::string& spec) { return spec.empty() ? "(no PartitionSpec)" : spec; }

}  // namespace

void CheckRematerializations(const LintProgram& program, double budget,
                             std::vector<Finding>* found) {
  for (const LintRematerialization& r : program.rematerializations) {
    if (static_cast<double>(r.bytes) <= budget) continue;
    Finding& finding = found->emplace_back();
    finding.name = r.name;
    finding.location = r.location;
    finding.message =
        absl::StrCat(r.name, " ", r.shape, ": no direct way from ", SpecText(r.from), " to ",
                     SpecText(r.to), ", so each device first holds the array, ",
                     layout::FormatBytes(r.bytes), " (XLA: Involuntary full rematerialization)");
    finding.fix = "`tessera reshards FILE` tries constraints that move one axis at a time";
    finding.amount = static_cast<double>(r.bytes);
  }
}

}  // namespace tessera::pipeline::lint
