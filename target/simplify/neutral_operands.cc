// maximum(x, broadcast(-inf))  ->  x;  add(x, broadcast(0))  ->  x
//
// A softmax of JAX takes the maximum of each row, and the larger of it and -inf. Sums that left a loop are added to
// what the loop began with.

#include <limits>

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

}  // namespace

InstructionId LeaveOutLowest(DeviceProgram& program, InstructionId maximum) {
  return WithoutNeutral(program, maximum, IsLowest);
}

InstructionId LeaveOutZeros(DeviceProgram& program, InstructionId add) {
  return WithoutNeutral(program, add, IsZero);
}

}  // namespace tessera::target
