// x[8,32] dot y[32]  ->  reduce(multiply(x, broadcast(y)), 0), dimensions={1}
//
// A dot one of whose operands has batch and contracting dimensions alone. On TPUs in front of Shardy: a contracting
// dimension is then one of an elementwise product, and stays sharded as the larger operand is. On GPUs after the
// partitioner: a dot of two vectors, and one that is too small for Triton.

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::ElementType;

// Batch dimensions, free ones, those that are contracted; of the type of the result.
InstructionId Ordered(DeviceProgram& program, InstructionId x, const DotSide& side,
                      ElementType type) {
  IntList order = side.batch;
  order.insert(order.end(), side.free.begin(), side.free.end());
  order.insert(order.end(), side.contracting.begin(), side.contracting.end());
  x = TransposeTo(program, x, order);
  return program.shape(x).element_type() == type ? x : AddConvert(program, x, type);
}

// To the shape of the richer operand: `free` dimensions after the batch are new.
InstructionId SpreadOver(DeviceProgram& program, InstructionId x, const layout::Shape& shape,
                         size_t batch, size_t free) {
  if (program.shape(x).rank() == shape.rank()) return x;
  IntList places;
  for (int64_t k = 0; k < program.shape(x).rank(); ++k) {
    places.push_back(k < static_cast<int64_t>(batch) ? k : k + static_cast<int64_t>(free));
  }
  return AddBroadcast(program, x, shape, places);
}

bool FeedsAnnotation(const DeviceProgram& program, InstructionId dot) {
  const InstructionId user = program.OnlyUser(dot);
  return user != kNoId && program.opcode(user) == Opcode::kCustomCall;
}

// XLA's limit, below which a product is no matter for Triton.
bool IsSmall(const DeviceProgram& program, InstructionId dot, const DotParts& parts) {
  constexpr int64_t kSmall = 10'000'000;
  const layout::Shape &left = program.shape(program.operand(dot, 0)),
                      &right = program.shape(program.operand(dot, 1));
  const int64_t free =
      ElementsAlong(left, parts.left.free) + ElementsAlong(right, parts.right.free);
  return free * ElementsAlong(left, parts.left.contracting) < kSmall;
}

}  // namespace

InstructionId MultiplyAndSumVectors(DeviceProgram& program, InstructionId dot) {
  const DotParts parts = PartsOf(program, dot);
  const bool are_vectors = parts.left.free.empty() && parts.right.free.empty();
  return are_vectors || IsSmall(program, dot, parts) ? MultiplyAndSum(program, dot) : kNoId;
}

InstructionId MultiplyAndSum(DeviceProgram& program, InstructionId dot) {
  if (program.operands(dot).size() != 2 || FeedsAnnotation(program, dot)) return kNoId;
  const DotParts parts = PartsOf(program, dot);
  if (parts.left.contracting.empty()) return kNoId;
  if (!parts.left.free.empty() && !parts.right.free.empty()) return kNoId;
  const ElementType type = program.shape(dot).element_type();
  if (layout::IsComplex(type) || type == ElementType::kPred) return kNoId;
  const size_t batch = parts.left.batch.size();
  const size_t free = std::max(parts.left.free.size(), parts.right.free.size());
  InstructionId left = Ordered(program, program.operand(dot, 0), parts.left, type);
  InstructionId right = Ordered(program, program.operand(dot, 1), parts.right, type);
  const layout::Shape shape =
      parts.left.free.size() == free ? program.shape(left) : program.shape(right);
  left = SpreadOver(program, left, shape, batch, free);
  right = SpreadOver(program, right, shape, batch, free);
  InstructionId product = program.Add(program.computation(dot), Opcode::kMultiply, "multiply",
                                      Resized(shape, shape.dims()), {left, right});
  if (TypeOfSum(type) != type) product = AddConvert(program, product, TypeOfSum(type));
  IntList summed;
  for (size_t d = batch + free; d < shape.dims().size(); ++d)
    summed.push_back(static_cast<int64_t>(d));
  const InstructionId sum = SumOver(program, product, summed);
  return TypeOfSum(type) == type ? sum : AddConvert(program, sum, type);
}

}  // namespace tessera::target
