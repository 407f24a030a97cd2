// x[b,m] dot y[b,n], nothing contracted  ->  multiply(broadcast(x), broadcast(y)) of [b,m,n]

#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// The operand with its batch dimensions first, of the type of the result, in all its dimensions. Its
// own dimensions go to those that start at `free` where they are free.
InstructionId Spread(DeviceProgram& program, InstructionId x, const DotSide& side,
                     const layout::Shape& result, int64_t free) {
  IntList order = side.batch;
  order.insert(order.end(), side.free.begin(), side.free.end());
  x = TransposeTo(program, x, order);
  if (program.shape(x).element_type() != result.element_type()) {
    x = AddConvert(program, x, result.element_type());
  }
  if (program.shape(x).rank() == result.rank()) return x;
  IntList places;
  for (size_t k = 0; k < side.batch.size(); ++k) places.push_back(static_cast<int64_t>(k));
  for (size_t k = 0; k < side.free.size(); ++k) places.push_back(free + static_cast<int64_t>(k));
  return AddBroadcast(program, x, result, places);
}

}  // namespace

InstructionId MultiplyInPlaceOfDot(DeviceProgram& program, InstructionId dot) {
  const hlo::Module& module = program.module();
  const auto contracting = hlo::GetInts(module, dot, AttributeName::kLhsContractingDims);
  if (contracting.has_value() && !contracting->empty()) return kNoId;
  const bool is_plain = !module.FindAttribute(dot, AttributeName::kOperandPrecision) &&
                        !module.FindAttribute(dot, AttributeName::kAlgorithm);
  if (program.operands(dot).size() != 2 || !is_plain) return kNoId;
  const DotParts parts = PartsOf(program, dot);
  const layout::Shape shape = Resized(program.shape(dot), program.shape(dot).dims());
  const InstructionId x = program.operand(dot, 0), y = program.operand(dot, 1);
  const auto batch = static_cast<int64_t>(parts.left.batch.size());
  const InstructionId left = Spread(program, x, parts.left, shape, batch);
  const auto after_left = batch + static_cast<int64_t>(parts.left.free.size());
  const InstructionId right = Spread(program, y, parts.right, shape, after_left);
  return program.Add(program.computation(dot), Opcode::kMultiply, "multiply", shape, {left, right});
}

}  // namespace tessera::target
