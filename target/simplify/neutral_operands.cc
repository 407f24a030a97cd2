// maximum(x, broadcast(-inf))  ->  x;  add(x, broadcast(0))  ->  x;  select(p, x, x)  ->  x;  subtract(i, i)  ->  0
//
// A softmax of JAX takes the maximum of each row, and the larger of it and -inf. Sums that left a loop are added to
// what the loop began with. Where each device begins in an array of which all have the same part, offsets are equal.

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsLowest(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) == Opcode::kBroadcast) id = program.operand(id, 0);
  return FloatOf(program, id) == -std::numeric_limits<double>::infinity();
}

// The other operand, if one of the two is neutral.
InstructionId WithoutNeutral(const DeviceProgram& program, InstructionId id,
                             bool (*is_neutral)(const DeviceProgram&, InstructionId)) {
  for (const size_t k : {0, 1}) {
    if (is_neutral(program, program.operand(id, k))) return program.operand(id, 1 - k);
  }
  return kNoId;
}

std::optional<int64_t> IntOf(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kConstant) return std::nullopt;
  return hlo::SplatInt(program.module(), id);
}

// Of two integers, in the bits of their type, or of an array and itself.
std::optional<int64_t> DifferenceOf(const DeviceProgram& program, InstructionId subtract) {
  const InstructionId left = program.operand(subtract, 0), right = program.operand(subtract, 1);
  if (left == right) return 0;
  const auto from = IntOf(program, left), what = IntOf(program, right);
  if (!from.has_value() || !what.has_value()) return std::nullopt;
  const int unused = 64 - layout::BitWidth(program.shape(subtract).element_type());
  const uint64_t wrapped = static_cast<uint64_t>(*from) - static_cast<uint64_t>(*what);
  return static_cast<int64_t>(wrapped << unused) >> unused;
}

}  // namespace

InstructionId ChooseEqual(DeviceProgram& program, InstructionId select) {
  const InstructionId chosen = program.operand(select, 1);
  return chosen == program.operand(select, 2) ? chosen : kNoId;
}

InstructionId SubtractNumbers(DeviceProgram& program, InstructionId subtract) {
  const layout::Shape shape = program.shape(subtract);
  if (!layout::IsSigned(shape.element_type())) return kNoId;
  const std::optional<int64_t> difference = DifferenceOf(program, subtract);
  if (!difference.has_value()) return kNoId;
  const ComputationId c = program.computation(subtract);
  const InstructionId number =
      program.AddConstant(c, Resized(shape, {}), absl::StrCat(*difference));
  return InEachElement(program, number, shape);
}

InstructionId LeaveOutLowest(DeviceProgram& program, InstructionId maximum) {
  return WithoutNeutral(program, maximum, IsLowest);
}

InstructionId LeaveOutZeros(DeviceProgram& program, InstructionId add) {
  return WithoutNeutral(program, add, IsZero);
}

}  // namespace tessera::target
