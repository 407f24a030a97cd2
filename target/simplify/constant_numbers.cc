// subtract(24, 0)  ->  24      compare(24, 0), direction=GT  ->  true      f32[] convert(s32[] 24)  ->  24
//
// Of scalars. `jnp.var` divides by the larger of what is left of a count and 0, and chooses NaN for none: then it is a
// product with one number. Both compilers fold constants in front of Shardy. Tested by tpu_rules_test.cc.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using layout::ElementType;

struct Step {
  Opcode opcode;
  double (*apply)(double, double);
};
constexpr Step kSteps[] = {
    {Opcode::kAdd, [](double a, double b) { return a + b; }},
    {Opcode::kSubtract, [](double a, double b) { return a - b; }},
    {Opcode::kMultiply, [](double a, double b) { return a * b; }},
};

struct Relation {
  absl::string_view direction;
  bool (*holds)(double, double);
};
constexpr Relation kRelations[] = {
    {"LT", [](double a, double b) { return a < b; }},
    {"LE", [](double a, double b) { return a <= b; }},
    {"GT", [](double a, double b) { return a > b; }},
    {"GE", [](double a, double b) { return a >= b; }},
    {"EQ", [](double a, double b) { return a == b; }},
    {"NE", [](double a, double b) { return a != b; }},
};

std::optional<double> ScalarValue(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kConstant || program.shape(id).rank() != 0) return std::nullopt;
  const ElementType type = program.shape(id).element_type();
  if (layout::IsFloat(type)) return FloatOf(program, id);
  if (type != ElementType::kS32) return std::nullopt;
  return hlo::SplatInt(program.module(), id);
}

// The text of a constant; empty where the type has no such number.
std::string NumberText(ElementType type, double value) {
  if (layout::IsFloat(type)) return FloatText(type, value);
  const auto whole = static_cast<int64_t>(value);
  const bool fits = type == ElementType::kS32 && whole == static_cast<int32_t>(whole);
  return fits ? absl::StrCat(whole) : "";
}

InstructionId AddNumber(DeviceProgram& program, InstructionId in_place_of, double value) {
  const layout::Shape shape = program.shape(in_place_of);
  const std::string text = NumberText(shape.element_type(), value);
  if (text.empty()) return kNoId;
  return program.AddConstant(program.computation(in_place_of), shape, text);
}

}  // namespace

InstructionId CalculateNumber(DeviceProgram& program, InstructionId id) {
  const auto a = ScalarValue(program, program.operand(id, 0));
  const auto b = ScalarValue(program, program.operand(id, 1));
  if (!a.has_value() || !b.has_value()) return kNoId;
  for (const Step& step : kSteps) {
    if (step.opcode == program.opcode(id)) return AddNumber(program, id, step.apply(*a, *b));
  }
  return kNoId;
}

InstructionId CompareNumbers(DeviceProgram& program, InstructionId compare) {
  const auto a = ScalarValue(program, program.operand(compare, 0));
  const auto b = ScalarValue(program, program.operand(compare, 1));
  if (!a.has_value() || !b.has_value()) return kNoId;
  const absl::string_view direction = hlo::GetComparisonDirection(program.module(), compare);
  for (const Relation& relation : kRelations) {
    if (relation.direction != direction) continue;
    return program.AddConstant(program.computation(compare), program.shape(compare),
                               relation.holds(*a, *b) ? "true" : "false");
  }
  return kNoId;
}

InstructionId ConvertNumber(DeviceProgram& program, InstructionId convert) {
  const auto number = ScalarValue(program, program.operand(convert, 0));
  const bool is_whole = !layout::IsFloat(program.shape(convert).element_type());
  return number.has_value() && !is_whole ? AddNumber(program, convert, *number) : kNoId;
}

}  // namespace tessera::target
