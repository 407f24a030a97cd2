// f32[8,1,64] dot(x[8,1,32], y[32,64])  ->  reshape(f32[8,64] dot(reshape(x), y))
//
// If all contracted dimensions have size 1, the new dot contracts none: dot_without_contraction.cc does the
// rest.

#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

// The numbers that dimensions have once those of size 1 are out; these themselves are left out.
IntList Renumbered(const IntList& dimensions, const layout::Shape& shape) {
  IntList places;
  int64_t ones = 0;
  IntList ones_before;
  for (const int64_t size : shape.dims()) {
    ones_before.push_back(ones);
    ones += size == 1 ? 1 : 0;
  }
  for (const int64_t d : dimensions) {
    if (shape.dim(d) != 1) places.push_back(d - ones_before[d]);
  }
  return places;
}

DotSide Renumbered(const DotSide& side, const layout::Shape& shape) {
  return {Renumbered(side.batch, shape), Renumbered(side.contracting, shape),
          Renumbered(side.free, shape)};
}

}  // namespace

InstructionId RemoveOnesOfDot(DeviceProgram& program, InstructionId dot) {
  if (program.operands(dot).size() != 2) return kNoId;
  const InstructionId x = program.operand(dot, 0), y = program.operand(dot, 1);
  if (!HasOnes(program.shape(x)) && !HasOnes(program.shape(y))) return kNoId;
  const layout::Shape left = program.shape(x), right = program.shape(y);
  const layout::Shape shape = Resized(program.shape(dot), program.shape(dot).dims());
  const DotParts parts = PartsOf(program, dot);
  const DotParts without = {Renumbered(parts.left, left), Renumbered(parts.right, right)};
  if (without.left.contracting.empty() && parts.left.contracting.empty()) return kNoId;
  const InstructionId a = ReshapeTo(program, x, Resized(left, SizesWithoutOnes(left)));
  const InstructionId b = ReshapeTo(program, y, Resized(right, SizesWithoutOnes(right)));
  const InstructionId small =
      CloneDot(program, dot, a, b, without, Resized(shape, SizesWithoutOnes(shape)));
  return ReshapeTo(program, small, shape);
}

}  // namespace tessera::target
