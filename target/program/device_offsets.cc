#include "tessera/target/program/device_offsets.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/element_type.h"

namespace tessera::target {
namespace {

using Value = DeviceOffsets::Value;

constexpr int kDeepest = 200;  // operations on one index; partitioners write a handful

bool IsWidening(const layout::Shape& from, const layout::Shape& to) {
  return layout::IsInteger(from.element_type()) && layout::IsInteger(to.element_type()) &&
         layout::ByteWidth(from.element_type()) <= layout::ByteWidth(to.element_type());
}

// Combines two values device by device; nothing where one is not known.
template <typename Combine>
Value Combined(const Value& a, const Value& b, Combine&& combine) {
  Value out;
  out.known = a.known && b.known;
  out.left_out = a.left_out || b.left_out;
  if (!out.known || out.left_out) return out;
  for (size_t d = 0; d < a.by_device.size(); ++d) {
    int64_t result = 0;
    if (combine(a.by_device[d], b.by_device[d], &result)) return Value();  // it does not fit
    out.by_device.push_back(result);
  }
  return out;
}

}  // namespace

const Value& DeviceOffsets::Of(InstructionId index) {
  const auto known = values_.find(index);
  if (known != values_.end()) return known->second;
  if (depth_ == kDeepest) return values_[index];  // not known
  ++depth_;
  Value value = Compute(index);
  --depth_;
  return values_[index] = std::move(value);
}

bool DeviceOffsets::IsZero(InstructionId index) {
  const Value& value = Of(index);
  return value.known && !value.left_out &&
         absl::c_all_of(value.by_device, [](int64_t v) { return v == 0; });
}

Value DeviceOffsets::Compute(InstructionId id) {
  switch (program_.opcode(id)) {
    case Opcode::kPartitionId: {
      Value value = Same(0);
      std::iota(value.by_device.begin(), value.by_device.end(), 0);
      return value;
    }
    case Opcode::kConstant:
      return OfConstant(id);
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kCopy:
      return Of(program_.operand(id, 0));
    case Opcode::kConvert:
      if (!IsWidening(program_.shape(program_.operand(id, 0)), program_.shape(id))) return {};
      return Of(program_.operand(id, 0));
    case Opcode::kDynamicSlice:
      return Element(id);
    case Opcode::kMultiply:
      return Product(id);
    case Opcode::kSubtract:
      return Difference(id);
    case Opcode::kClamp:
      return Clamp(id);
    default:
      return {};
  }
}

Value DeviceOffsets::Same(int64_t number) const {
  return {true, false, std::vector<int64_t>(static_cast<size_t>(num_devices_), number)};
}

Value DeviceOffsets::OfConstant(InstructionId id) const {
  if (program_.shape(id).NumElements() != 1) return {};
  const auto number = hlo::SplatInt(program_.module(), id);
  return number.has_value() ? Same(*number) : Value();
}

// Of a list: a constant of rank 1, or an iota, which is its own index.
Value DeviceOffsets::Element(InstructionId slice) {
  const InstructionId list = program_.operand(slice, 0);
  const layout::Shape& shape = program_.shape(list);
  if (shape.rank() != 1 || program_.shape(slice).dim(0) != 1) return {};
  Value index = Of(program_.operand(slice, 1));
  if (!index.known || index.left_out) return index;
  for (int64_t& at : index.by_device) at = std::clamp<int64_t>(at, 0, shape.dim(0) - 1);
  if (program_.opcode(list) == Opcode::kIota) return index;
  if (program_.opcode(list) != Opcode::kConstant || !layout::IsInteger(shape.element_type()))
    return {};
  const auto literal = hlo::ParseLiteral(program_.module().LiteralText(list), shape);
  if (!literal.ok()) return {};
  if (literal->elided) return {true, true, {}};
  for (int64_t& at : index.by_device) at = literal->IntAt(at);
  return index;
}

Value DeviceOffsets::Product(InstructionId id) {
  const auto operands = program_.operands(id);
  const auto is_constant = [&](InstructionId operand) {
    return program_.opcode(operand) == Opcode::kConstant;
  };
  if (!is_constant(operands[0]) && !is_constant(operands[1])) return {};
  const Value left = Of(operands[0]);
  return Combined(left, Of(operands[1]), [](int64_t a, int64_t b, int64_t* out) {
    return __builtin_mul_overflow(a, b, out);
  });
}

Value DeviceOffsets::Difference(InstructionId id) {
  const Value left = Of(program_.operand(id, 0));
  return Combined(left, Of(program_.operand(id, 1)), [](int64_t a, int64_t b, int64_t* out) {
    return __builtin_sub_overflow(a, b, out);
  });
}

Value DeviceOffsets::Clamp(InstructionId id) {
  const Value least = Of(program_.operand(id, 0)), most = Of(program_.operand(id, 2));
  const auto at_least = [](int64_t a, int64_t b, int64_t* out) {
    *out = std::max(a, b);
    return false;
  };
  const auto at_most = [](int64_t a, int64_t b, int64_t* out) {
    *out = std::min(a, b);
    return false;
  };
  return Combined(Combined(Of(program_.operand(id, 1)), least, at_least), most, at_most);
}

}  // namespace tessera::target
