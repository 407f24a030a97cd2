// f32[16,8] transpose(f32[8,16] dot(x, y))  ->  f32[16,8] dot(y, x)
//
// Only of a dot that has one free dimension on each side and its batch dimensions first. Others
// would not be in the form in which XLA's compiler for GPUs keeps them.

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool AreFirst(const IntList& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    if (batch[k] != static_cast<int64_t>(k)) return false;
  }
  return true;
}

// 0, 1, .., but the last two exchanged.
bool ExchangesLastTwo(const IntList& order) {
  const auto rank = static_cast<int64_t>(order.size());
  for (int64_t k = 0; k < rank - 2; ++k) {
    if (order[k] != k) return false;
  }
  return rank >= 2 && order[rank - 2] == rank - 1;
}

}  // namespace

InstructionId ExchangeTransposedDot(DeviceProgram& program, InstructionId transpose) {
  const InstructionId dot = program.operand(transpose, 0);
  if (program.opcode(dot) != Opcode::kDot || program.operands(dot).size() != 2) return kNoId;
  if (program.OnlyUser(dot) != transpose) return kNoId;
  if (!ExchangesLastTwo(DimensionsOf(program, transpose))) return kNoId;
  DotParts parts = PartsOf(program, dot);
  if (parts.left.free.size() != 1 || parts.right.free.size() != 1) return kNoId;
  if (!AreFirst(parts.left.batch) || !AreFirst(parts.right.batch)) return kNoId;
  std::swap(parts.left, parts.right);
  const InstructionId x = program.operand(dot, 0), y = program.operand(dot, 1);
  const layout::Shape shape = program.shape(transpose);
  return CloneDot(program, dot, y, x, parts, shape);
}

}  // namespace tessera::target
