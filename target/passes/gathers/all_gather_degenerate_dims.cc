// all-gather-remove-degenerate-dims: an all-gather has no dimensions of size 1 but maybe the one
// that it gathers.
//
//   s32[32,1024,1] all-gather(x: s32[4,1024,1]), dimensions={0}
//   ->  reshape(s32[32,1024] all-gather(reshape(x)), dimensions={0})

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

constexpr char kAllGatherDegenerateDims[] = "all-gather-remove-degenerate-dims";

void Shrink(Context& context, InstructionId gather) {
  DeviceProgram& program = context.program;
  const layout::Shape whole = program.shape(gather);
  const layout::Shape part = program.shape(program.operand(gather, 0));
  const int64_t dimension = CollectiveDimension(program, gather);
  if (whole.dim(dimension) == 1) return;
  std::vector<int64_t> whole_sizes, part_sizes;
  int64_t kept_dimension = 0;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (d == dimension) kept_dimension = static_cast<int64_t>(whole_sizes.size());
    if (d != dimension && whole.dim(d) == 1) continue;
    whole_sizes.push_back(whole.dim(d));
    part_sizes.push_back(part.dim(d));
  }
  if (whole_sizes.size() == static_cast<size_t>(whole.rank())) return;
  const InstructionId operand =
      AddReshape(program, program.operand(gather, 0), Resized(part, part_sizes));
  const InstructionId small = program.Clone(gather, {operand}, Resized(whole, whole_sizes));
  program.SetAttribute(small, hlo::AttributeName::kDimensions,
                       absl::StrCat("{", kept_dimension, "}"));
  context.origins.Set(kAllGatherDegenerateDims, program, small, {gather});
  program.ReplaceUses(gather, AddReshape(program, small, whole));
  program.RemoveDead(gather);
}

}  // namespace

absl::Status RemoveDegenerateDims(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    const bool is_gather = program.opcode(id) == Opcode::kAllGather && program.shape(id).is_array();
    if (is_gather && !program.IsPinned(id) && !program.HasSideEffects(id)) Shrink(context, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
