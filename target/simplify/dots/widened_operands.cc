// dot(x: bf16, convert(y: s8) to bf16)              ->  dot(x, y)
// dot(x: f32, reshape(convert(y: bf16) to f32))     ->  dot(x, reshape(y))
//
// convert_operand_folding of TPUs, whose dots and convolutions read narrower types than they compute: an operand loses
// a convert that keeps every value, also past what only moves elements. So weights of eight bits are gathered as such.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using layout::ElementType;

struct FloatRange {
  ElementType type;
  int digits;    // of the significand, the first one counted
  int exponent;  // the largest one
};
constexpr FloatRange kFloats[] = {
    {ElementType::kF8e4m3fn, 4, 8}, {ElementType::kF8e5m2, 3, 15}, {ElementType::kF16, 11, 15},
    {ElementType::kBf16, 8, 127},   {ElementType::kF32, 24, 127},  {ElementType::kF64, 53, 1023},
};

const FloatRange* RangeOf(ElementType type) {
  const auto* const found =
      absl::c_find_if(kFloats, [&](const FloatRange& range) { return range.type == type; });
  return found == std::end(kFloats) ? nullptr : found;
}

int DigitsOf(ElementType integer) {
  return layout::BitWidth(integer) - (layout::IsSigned(integer) ? 1 : 0);
}

bool KeepsValues(ElementType from, ElementType to) {
  const FloatRange *const float_from = RangeOf(from), *const float_to = RangeOf(to);
  if (float_from != nullptr) {
    return float_to != nullptr && float_from->digits <= float_to->digits &&
           float_from->exponent <= float_to->exponent;
  }
  if (!layout::IsInteger(from)) return false;
  if (float_to != nullptr) return DigitsOf(from) <= float_to->digits;
  const bool keeps_sign = layout::IsSigned(to) || layout::IsUnsigned(from);
  return layout::IsInteger(to) && keeps_sign && DigitsOf(from) <= DigitsOf(to);
}

constexpr Opcode kMoveElements[] = {Opcode::kDynamicSlice, Opcode::kReshape, Opcode::kSlice,
                                    Opcode::kTranspose};

// The convert that `operand` is, or moves the elements of; kNoId without one that keeps every value.
InstructionId WideningOf(const DeviceProgram& program, InstructionId operand) {
  while (absl::c_linear_search(kMoveElements, program.opcode(operand)) &&
         !program.IsPinned(operand)) {
    operand = program.operand(operand, 0);
  }
  if (program.opcode(operand) != Opcode::kConvert || program.IsPinned(operand)) return kNoId;
  const ElementType from = program.shape(program.operand(operand, 0)).element_type();
  const ElementType to = program.shape(operand).element_type();
  return from != to && KeepsValues(from, to) ? operand : kNoId;
}

InstructionId Without(DeviceProgram& program, InstructionId operand, InstructionId convert) {
  if (operand == convert) return program.operand(convert, 0);
  std::vector<InstructionId> operands(program.operands(operand).begin(),
                                      program.operands(operand).end());
  operands[0] = Without(program, operands[0], convert);
  const ElementType type = program.shape(operands[0]).element_type();
  return program.Clone(operand, operands, Retyped(program.shape(operand), type));
}

}  // namespace

InstructionId FoldWideningIntoOperands(DeviceProgram& program, InstructionId product) {
  std::vector<InstructionId> operands(program.operands(product).begin(),
                                      program.operands(product).end());
  bool is_changed = false;
  for (InstructionId& operand : operands) {
    const InstructionId convert = WideningOf(program, operand);
    if (convert == kNoId) continue;
    operand = Without(program, operand, convert);
    is_changed = true;
  }
  return is_changed ? program.Clone(product, operands, program.shape(product)) : kNoId;
}

}  // namespace tessera::target
