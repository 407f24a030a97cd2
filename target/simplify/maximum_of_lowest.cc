// maximum(x, broadcast(-inf))  ->  x
//
// A softmax of JAX takes the maximum of each row, and the larger of it and -inf.

#include <limits>

#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsLowest(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) == Opcode::kBroadcast) id = program.operand(id, 0);
  return FloatOf(program, id) == -std::numeric_limits<double>::infinity();
}

}  // namespace

InstructionId LeaveOutLowest(DeviceProgram& program, InstructionId maximum) {
  for (const size_t k : {0, 1}) {
    if (IsLowest(program, program.operand(maximum, k))) return program.operand(maximum, 1 - k);
  }
  return kNoId;
}

}  // namespace tessera::target
