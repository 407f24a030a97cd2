// f32[] reduce(f32[128] reshape(x[8,16]), 0), dimensions={0}  ->  f32[] reduce(x, 0), dimensions={0,1}
//
// What the reduce leaves, the reshape leaves as it is. So a norm of a flattened array needs none of it gathered.

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {

InstructionId ReduceBeforeReshape(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return kNoId;
  const InstructionId reshape = program.operand(reduce, 0);
  if (program.opcode(reshape) != Opcode::kReshape) return kNoId;
  const InstructionId x = program.operand(reshape, 0);
  const IntList kept = KeptByReshape(program.shape(reshape), program.shape(x));
  const IntList reduced = DimensionsOf(program, reduce);
  IntList left, dimensions;
  for (int64_t d = 0; d < program.shape(reshape).rank(); ++d) {
    if (absl::c_linear_search(reduced, d)) continue;
    if (kept[d] < 0) return kNoId;
    left.push_back(kept[d]);
  }
  for (int64_t d = 0; d < program.shape(x).rank(); ++d) {
    if (!absl::c_linear_search(left, d)) dimensions.push_back(d);
  }
  const InstructionId direct =
      program.Clone(reduce, {x, program.operand(reduce, 1)}, program.shape(reduce));
  program.SetAttribute(direct, hlo::AttributeName::kDimensions, Braces(dimensions));
  return direct;
}

}  // namespace tessera::target
