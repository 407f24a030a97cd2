// minimum(maximum(x, broadcast(a)), broadcast(b))  ->  clamp(broadcast(a), x, broadcast(b))
// maximum(minimum(x, broadcast(b)), broadcast(a))  ->  the same
//
// If a is not the larger one, and both are constants. `jnp.clip` of an array is the first form; that of one number
// stays.

#include <cstddef>
#include <optional>
#include <utility>

#include "tessera/hlo/literal.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

std::optional<double> RepeatedNumber(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kBroadcast) return std::nullopt;
  const InstructionId number = program.operand(id, 0);
  if (program.opcode(number) != Opcode::kConstant) return std::nullopt;
  if (!layout::IsFloat(program.shape(id).element_type()))
    return hlo::SplatInt(program.module(), number);
  return FloatOf(program, number);
}

// The operand that is a number everywhere; none of the two.
std::optional<size_t> PlaceOfBound(const DeviceProgram& program, InstructionId id) {
  for (const size_t k : {size_t{0}, size_t{1}}) {
    if (RepeatedNumber(program, program.operand(id, k)).has_value()) return k;
  }
  return std::nullopt;
}

}  // namespace

InstructionId ClampBetweenConstants(DeviceProgram& program, InstructionId id) {
  const bool is_minimum = program.opcode(id) == Opcode::kMinimum;
  const std::optional<size_t> outer = PlaceOfBound(program, id);
  if (!outer.has_value()) return kNoId;
  const InstructionId inner = program.operand(id, 1 - *outer);
  if (program.opcode(inner) != (is_minimum ? Opcode::kMaximum : Opcode::kMinimum)) return kNoId;
  const std::optional<size_t> place = PlaceOfBound(program, inner);
  if (!place.has_value()) return kNoId;
  InstructionId low = program.operand(inner, *place), high = program.operand(id, *outer);
  if (!is_minimum) std::swap(low, high);
  if (RepeatedNumber(program, low) > RepeatedNumber(program, high)) return kNoId;
  const layout::Shape shape = Resized(program.shape(id), program.shape(id).dims());
  return program.Add(program.computation(id), Opcode::kClamp, "clamp", shape,
                     {low, program.operand(inner, 1 - *place), high});
}

}  // namespace tessera::target
