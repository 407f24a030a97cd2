// f32[8,16] reduce(x[8,16,1], 0), dimensions={2}  ->  reshape(x)
// f32[8,1] reduce(x[8,1,16], 0), dimensions={2}   ->  reshape(f32[8] reduce(x), dimensions={1,2}); TPUs
//
// Of sums from 0. On GPUs also of `or` from false, and of `and` from true.

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

// Begins with what changes nothing.
bool IsAnyOrAll(const DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce)) return false;
  const InstructionId begin = program.operand(reduce, 1);
  const std::optional<Opcode> step = OnlyStep(program, reduce);
  return (step == Opcode::kAnd && IsTrue(program, begin)) ||
         (step == Opcode::kOr && IsZero(program, begin));
}

bool ReducesOnes(const DeviceProgram& program, InstructionId reduce) {
  const layout::Shape& from = program.shape(program.operand(reduce, 0));
  return absl::c_all_of(DimensionsOf(program, reduce), [&](int64_t d) { return from.dim(d) == 1; });
}

InstructionId ReshapeOfOperand(DeviceProgram& program, InstructionId reduce) {
  const layout::Shape& shape = program.shape(reduce);
  return ReshapeTo(program, program.operand(reduce, 0), Resized(shape, shape.dims()));
}

}  // namespace

InstructionId ReshapeInPlaceOfReduce(DeviceProgram& program, InstructionId reduce) {
  const bool is_one = ReducesOnes(program, reduce) && IsSum(program, reduce);
  return is_one ? ReshapeOfOperand(program, reduce) : kNoId;
}

InstructionId ReshapeInPlaceOfAnyOrAll(DeviceProgram& program, InstructionId reduce) {
  const bool is_one = ReducesOnes(program, reduce) && IsAnyOrAll(program, reduce);
  return is_one ? ReshapeOfOperand(program, reduce) : kNoId;
}

InstructionId ReduceOnesToo(DeviceProgram& program, InstructionId reduce) {
  if (!IsReduceOfOneArray(program, reduce) || !HasOnes(program.shape(reduce))) return kNoId;
  const layout::Shape& from = program.shape(program.operand(reduce, 0));
  const layout::Shape shape = Resized(program.shape(reduce), program.shape(reduce).dims());
  IntList dimensions = DimensionsOf(program, reduce);
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (from.dim(d) == 1 && !absl::c_linear_search(dimensions, d)) dimensions.push_back(d);
  }
  std::sort(dimensions.begin(), dimensions.end());
  const InstructionId all = ReduceOver(program, reduce, program.operand(reduce, 0), dimensions);
  return ReshapeTo(program, all, shape);
}

}  // namespace tessera::target
