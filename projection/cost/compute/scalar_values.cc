#include "tessera/projection/cost/compute/scalar_values.h"

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int kDeepest = 10000;  // chains of scalars longer than this are not followed

bool IsScalarInteger(const layout::Shape& shape) {
  return shape.is_array() && shape.rank() == 0 &&
         (layout::IsInteger(shape.element_type()) ||
          shape.element_type() == layout::ElementType::kPred);
}

bool Less(int64_t a, int64_t b, layout::ElementType type) {
  return layout::IsSigned(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

bool Compare(absl::string_view direction, int64_t a, int64_t b, layout::ElementType type) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return Less(a, b, type);
  if (direction == "GT") return Less(b, a, type);
  return direction == "LE" ? !Less(b, a, type) : !Less(a, b, type);
}

int64_t WrapMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

int64_t WrapToType(int64_t value, layout::ElementType type) {
  const int bits = layout::BitWidth(type);
  if (bits >= 64) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1, low = static_cast<uint64_t>(value) & mask;
  const bool negative = layout::IsSigned(type) && (low >> (bits - 1)) != 0;
  return static_cast<int64_t>(negative ? low | ~mask : low);
}

ScalarValues::Value ScalarValues::Get(InstructionId id) {
  if (!IsScalarInteger(module_.shape(id))) return std::nullopt;
  const auto known = values_.find(id);
  if (known != values_.end()) return known->second;
  if (depth_ >= kDeepest) return std::nullopt;
  ++depth_;
  Value value = Compute(id);
  --depth_;
  if (value.has_value()) value = WrapToType(*value, module_.shape(id).element_type());
  values_[id] = value;
  return value;
}

ScalarValues::Value ScalarValues::Compute(InstructionId id) {
  const auto operands = module_.operands(id);
  switch (module_.instruction(id).opcode) {
    case Opcode::kConstant:
      return hlo::SplatInt(module_, id);
    case Opcode::kGetTupleElement:
      return Carried(id);
    case Opcode::kCopy:
    case Opcode::kBitcast:
    case Opcode::kReshape:
    case Opcode::kConvert:
      return Get(operands[0]);
    case Opcode::kNot:
      return Map(operands[0], [](int64_t a) { return ~a; });
    case Opcode::kNegate:
      return Map(operands[0], [](int64_t a) { return WrapMultiply(a, -1); });
    case Opcode::kSelect:
      return Choose(operands[0], operands[1], operands[2]);
    default:
      return operands.size() == 2 ? Binary(id, Get(operands[0]), Get(operands[1])) : std::nullopt;
  }
}

ScalarValues::Value ScalarValues::Carried(InstructionId id) const {
  const size_t index = static_cast<size_t>(hlo::GetTupleIndex(module_, id));
  const bool of_parameter =
      module_.instruction(module_.operands(id)[0]).opcode == Opcode::kParameter;
  return of_parameter && index < carried_.size() ? carried_[index] : std::nullopt;
}

ScalarValues::Value ScalarValues::Choose(InstructionId which, InstructionId yes, InstructionId no) {
  const Value w = Get(which);
  return w.has_value() ? Get(*w != 0 ? yes : no) : std::nullopt;
}

ScalarValues::Value ScalarValues::Binary(InstructionId id, Value a, Value b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  const layout::ElementType type = module_.shape(module_.operands(id)[0]).element_type();
  switch (module_.instruction(id).opcode) {
    case Opcode::kAdd:
      return WrapAdd(*a, *b);
    case Opcode::kSubtract:
      return WrapAdd(*a, WrapMultiply(*b, -1));
    case Opcode::kMultiply:
      return WrapMultiply(*a, *b);
    case Opcode::kDivide:
      return *b == 0 || *b == -1 || !layout::IsSigned(type) ? std::nullopt : Value(*a / *b);
    case Opcode::kMaximum:
      return Less(*a, *b, type) ? b : a;
    case Opcode::kMinimum:
      return Less(*a, *b, type) ? a : b;
    case Opcode::kAnd:
      return *a & *b;
    case Opcode::kOr:
      return *a | *b;
    case Opcode::kXor:
      return *a ^ *b;
    case Opcode::kShiftLeft:
      return *b < 0 || *b >= 63 ? std::nullopt : Value(WrapMultiply(*a, int64_t{1} << *b));
    case Opcode::kCompare:
      return Compare(hlo::GetComparisonDirection(module_, id), *a, *b, type);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::projection
