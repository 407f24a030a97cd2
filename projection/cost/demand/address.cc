// Idea. In an untiled layout the address of a cell is affine in its coordinates: each dimension has
// a stride in cells. A transpose keeps addresses when every dimension of more than one cell has the
// same stride on both sides. A reshape does when that holds for every common digit of the two
// shapes (reshape.h). A group of dimensions without common digits must be packed row-major on both
// sides, with equal strides at its minor end.
#include "tessera/projection/cost/demand/address.h"

#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/map/reshape.h"

namespace tessera::projection {
namespace {

using layout::Shape;

// Cells from one index of each dimension to the next.
ZPoint Strides(const Shape& shape) {
  ZPoint strides = ZPoint::Filled(static_cast<int>(shape.rank()), 1);
  int64_t stride = 1;
  for (int64_t i = shape.rank() - 1; i >= 0; --i) {
    const int d = static_cast<int>(shape.has_layout() ? shape.layout().Major(i) : i);
    strides[d] = stride;
    stride *= shape.dim(d);
  }
  return strides;
}

bool IsUntiled(const Shape& shape) { return !shape.has_layout() || shape.layout().tiles.empty(); }

// The dimensions [begin, end) split into `digits`: the stride of each digit.
ZPoint DigitStrides(const ZPoint& shape, const ZPoint& strides, int begin, int end,
                    const ZPoint& digits) {
  ZPoint out;
  int at = 0;
  for (int d = begin; d < end; ++d) {
    int64_t left = shape[d];
    while (left > 1) {
      left /= digits[at++];
      out.push_back(strides[d] * left);
    }
  }
  return out;
}

// Dimensions [begin, end) of more than one cell are packed row-major; `*minor` is their last
// stride.
bool IsPacked(const ZPoint& shape, const ZPoint& strides, int begin, int end, int64_t* minor) {
  int64_t expected = -1;
  for (int d = end - 1; d >= begin; --d) {
    if (shape[d] == 1) continue;
    if (expected < 0) *minor = expected = strides[d];
    if (strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

bool ReshapeKeeps(const Shape& from, const Shape& to) {
  const ZPoint operand(from.dims()), result(to.dims()), a = Strides(from), b = Strides(to);
  for (const ReshapeGroup& g : ReshapeGroups(operand, result)) {
    const std::optional<ZPoint> digits = CommonDigits(operand.Part(g.operand_begin, g.operand_end),
                                                      result.Part(g.result_begin, g.result_end));
    if (digits.has_value()) {
      if (DigitStrides(operand, a, g.operand_begin, g.operand_end, *digits) !=
          DigitStrides(result, b, g.result_begin, g.result_end, *digits)) {
        return false;
      }
      continue;
    }
    int64_t minor_a = 0, minor_b = 0;
    if (!IsPacked(operand, a, g.operand_begin, g.operand_end, &minor_a) ||
        !IsPacked(result, b, g.result_begin, g.result_end, &minor_b) || minor_a != minor_b) {
      return false;
    }
  }
  return true;
}

bool TransposeKeeps(const Shape& from, const Shape& to, const hlo::IntList& permutation) {
  const ZPoint a = Strides(from), b = Strides(to);
  for (int o = 0; o < to.rank(); ++o) {
    if (to.dim(o) > 1 && a[static_cast<int>(permutation[static_cast<size_t>(o)])] != b[o])
      return false;
  }
  return true;
}

bool IsIdentity(const hlo::IntList& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

bool KeepsAddresses(const hlo::Module& module, hlo::InstructionId id) {
  const hlo::Opcode opcode = module.instruction(id).opcode;
  if (opcode != hlo::Opcode::kReshape && opcode != hlo::Opcode::kTranspose) return false;
  const Shape& from = module.shape(module.operands(id)[0]);
  const Shape& to = module.shape(id);
  const hlo::IntList permutation =
      hlo::GetInts(module, id, hlo::AttributeName::kDimensions).value_or(hlo::IntList());
  if (!IsUntiled(from) || !IsUntiled(to)) {
    return from == to && (opcode == hlo::Opcode::kReshape || IsIdentity(permutation));
  }
  // No cells, no addresses; and sizes that have no bound together.
  if (from.NumElements().value_or(0) == 0) return true;
  if (opcode == hlo::Opcode::kReshape) return ReshapeKeeps(from, to);
  return permutation.size() == static_cast<size_t>(to.rank()) &&
         TransposeKeeps(from, to, permutation);
}

}  // namespace tessera::projection
