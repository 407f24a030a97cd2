// The pass makes every instruction anew, and XLA's builder gives a new instruction the shape that
// it infers. For most ops that is row-major. Some hand on the layout of an operand, so that a
// single transpose shows in everything that follows element by element:
//
//   t = f32[3,2]{0,1} transpose(p)   the layout of p, permuted
//   n = f32[3,2]{0,1} negate(t)      goes with t
//   s = f32[2,2]{1,0} slice(n)       row-major again
//
// The module that was read went the same way, so layouts change only where an operand's did: after
// parameters, constants, loops. Tested by probing each op with a transposed operand, in
// result_layouts_test.cc, and by the pairs. Cost: one table look-up for most ops.

#include "tessera/sharding/passes/emit/result_layouts.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/passes/emit/followed_operand.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;
using layout::Layout;
using layout::Shape;

bool IsRowMajor(const Layout& layout) {
  for (int64_t i = 0; i < layout.rank(); ++i) {
    if (layout.Major(i) != i) return false;
  }
  return true;
}

bool IsPlain(const Shape& shape) {
  return shape.is_array() && shape.has_layout() && !shape.has_dynamic_dim();
}

std::optional<Shape> LaidOutAs(const Shape& shape, const Layout& layout) {
  if (shape.layout() == layout) return std::nullopt;
  Shape made = shape;
  made.set_layout(layout);
  return made;
}

std::optional<Shape> Follow(const Shape& shape, const Shape& operand) {
  const bool comparable = IsPlain(shape) && IsPlain(operand) && shape.rank() == operand.rank();
  return comparable ? LaidOutAs(shape, operand.layout()) : std::nullopt;
}

// Several results go with the operands of their place: sort, all-reduce. Results of another rank
// (the mean of a batch norm) go with none.
std::optional<Shape> FollowEach(const Shape& shape, absl::Span<const Shape* const> operands) {
  std::vector<Shape> elements(shape.tuple_elements().begin(), shape.tuple_elements().end());
  bool changed = false;
  for (size_t i = 0; i < elements.size() && i < operands.size(); ++i) {
    std::optional<Shape> laid_out = Follow(elements[i], *operands[i]);
    if (laid_out.has_value()) elements[i] = *std::move(laid_out);
    changed |= laid_out.has_value();
  }
  return changed ? std::optional(Shape::Tuple(std::move(elements))) : std::nullopt;
}

std::optional<Shape> Transpose(const hlo::Module& module, hlo::InstructionId source,
                               const Shape& shape, const Shape& operand) {
  const auto order = hlo::GetInts(module, source, hlo::AttributeName::kDimensions);
  if (!order.has_value() || !IsPlain(shape) || !IsPlain(operand)) return std::nullopt;
  if (static_cast<int64_t>(order->size()) != operand.rank()) return std::nullopt;
  std::vector<int64_t> place(order->size());
  for (size_t i = 0; i < place.size(); ++i) {
    place[static_cast<size_t>((*order)[i])] = static_cast<int64_t>(i);
  }
  Layout layout = operand.layout();
  for (int64_t& dim : layout.minor_to_major) dim = place[static_cast<size_t>(dim)];
  return LaidOutAs(shape, layout);
}

// Parts of elements are a new dimension, the most minor one; put together, the last one is gone.
std::optional<Shape> BitcastConvert(const Shape& shape, const Shape& operand) {
  if (!IsPlain(shape) || !IsPlain(operand)) return std::nullopt;
  Layout layout = operand.layout();
  auto& dims = layout.minor_to_major;
  if (shape.rank() == operand.rank() + 1) {
    dims.insert(dims.begin(), operand.rank());
  } else if (shape.rank() == operand.rank() - 1) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == shape.rank()) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return LaidOutAs(shape, layout);
}

}  // namespace

bool HasLayoutRule(Opcode opcode) {
  return opcode == Opcode::kTranspose || opcode == Opcode::kBitcastConvert ||
         opcode == Opcode::kSort || opcode == Opcode::kBatchNormTraining ||
         opcode == Opcode::kBatchNormGrad;
}

bool HasDefaultLayout(const Shape& shape) {
  if (shape.is_tuple()) return absl::c_all_of(shape.tuple_elements(), HasDefaultLayout);
  if (!shape.is_array() || shape.has_dynamic_dim()) return true;
  // Most layouts that differ have another order: a cheap check before the full comparison.
  if (!shape.has_layout() || !IsRowMajor(shape.layout())) return false;
  return shape == Shape::Array(shape.element_type(), shape.dims());
}

Shape WithDefaultLayout(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    elements.reserve(shape.tuple_elements().size());
    for (const Shape& element : shape.tuple_elements()) {
      elements.push_back(WithDefaultLayout(element));
    }
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.is_array() || shape.has_dynamic_dim()) return shape;
  return Shape::Array(shape.element_type(), shape.dims());
}

std::optional<Shape> InferLayout(const hlo::Module& module, hlo::InstructionId source,
                                 Opcode opcode, const Shape& shape,
                                 absl::Span<const Shape* const> operands) {
  switch (opcode) {
    case Opcode::kTranspose:
      return operands.size() == 1 ? Transpose(module, source, shape, *operands[0]) : std::nullopt;
    case Opcode::kBitcastConvert:
      return operands.size() == 1 ? BitcastConvert(shape, *operands[0]) : std::nullopt;
    case Opcode::kSort:
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormGrad:
      if (shape.is_tuple()) return FollowEach(shape, operands);
      return operands.size() == 1 ? Follow(shape, *operands[0]) : std::nullopt;
    default:
      break;
  }
  const size_t followed = static_cast<size_t>(FollowedOperand(opcode));
  if (followed >= operands.size()) return std::nullopt;
  if (shape.is_tuple()) return FollowEach(shape, operands);
  return Follow(shape, *operands[followed]);
}

bool KeepsShape(Opcode opcode, const Shape& shape, const Shape* followed) {
  if (shape.is_tuple() || HasLayoutRule(opcode)) return false;
  if (followed == nullptr || followed == &shape) return true;
  return shape.has_layout() && followed->has_layout() && shape.layout() == followed->layout();
}

}  // namespace tessera::sharding::passes
