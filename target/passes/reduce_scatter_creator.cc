// reduce-scatter-creator: where each device keeps only its part of a sum, only that part is sent to
// it.
//
//   a = bf16[1024,32000] all-reduce(x), groups {0..7}
//   d = bf16[128,32000] dynamic-slice(a, partition * 128, 0)
//   ->  d = bf16[128,32000] reduce-scatter(x), groups {0..7}, dimensions={0}
//
// The all-reduce has one user, a dynamic-slice, maybe through a reshape that leaves the split
// dimension alone; groups have one size g; one dimension is split, into g parts and a rest; and device
// j of every group takes part j. Without a dimension that shrinks (parts of the whole size), the one
// whose offset is not 0 counts. What is left of a dimension that g does not divide is cut off first.

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/passes/split_match.h"
#include "tessera/target/program/device_offsets.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kName[] = "reduce-scatter-creator";

// The operand, without what g does not divide.
InstructionId WithoutRest(DeviceProgram& program, InstructionId operand, int64_t dimension,
                          int64_t size) {
  layout::Shape shape = program.shape(operand);
  if (shape.dim(dimension) == size) return operand;
  shape.set_dim(dimension, size);
  return AddSlice(program, operand, shape.dims());
}

void Scatter(Context& context, InstructionId all_reduce, const Split& split) {
  DeviceProgram& program = context.program;
  const int64_t dimension = split.dimension_of_sum;
  const InstructionId operand = WithoutRest(program, program.operand(all_reduce, 0), dimension,
                                            split.parts * split.part_size);
  layout::Shape shape = program.shape(operand);
  shape.set_dim(dimension, split.part_size);
  const InstructionId scatter = program.Add(program.computation(all_reduce), Opcode::kReduceScatter,
                                            "reduce-scatter", shape, {operand});
  CopyCollectiveAttributes(context, all_reduce, scatter);
  program.SetAttribute(scatter, hlo::AttributeName::kDimensions, absl::StrCat("{", dimension, "}"));
  context.origins.Set(kName, program, scatter, {all_reduce});
  InstructionId result = scatter;
  if (split.reshape != kNoId) {
    result = AddReshape(program, scatter, program.shape(split.slice));
  }
  program.ReplaceUses(split.slice, result);
  program.RemoveDead(split.slice);
}

}  // namespace

absl::Status CreateReduceScatters(Context& context) {
  DeviceProgram& program = context.program;
  DeviceOffsets offsets(&program, context.groups.num_devices());
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kAllReduce) continue;
      TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
      const std::optional<Split> split = FindSplit(context, &offsets, id, groups);
      if (split.has_value()) Scatter(context, id, *split);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
