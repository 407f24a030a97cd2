// transpose(x) dot y                       ->  x dot y with other dimension numbers
// f32[16,8,4] transpose(f32[8,4,16] x dot y)  ->  f32[16,8,4] y dot x
//
// On TPUs, of any dot. A transpose before or after the dot goes into the numbers of the dimensions if
// the free ones stay in order, also past a convert. The result then has the dimensions in the order of
// its reader.

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

IntList Through(const IntList& dimensions, const IntList& order) {
  IntList found;
  for (const int64_t d : dimensions) found.push_back(order[static_cast<size_t>(d)]);
  return found;
}

// A parameter, or one converted.
bool IsArgument(const DeviceProgram& program, InstructionId x) {
  if (program.opcode(x) == Opcode::kConvert) x = program.operand(x, 0);
  return program.opcode(x) == Opcode::kParameter;
}

// Or converted after it.
bool IsTransposed(const DeviceProgram& program, InstructionId x) {
  if (program.opcode(x) == Opcode::kConvert) x = program.operand(x, 0);
  return program.opcode(x) == Opcode::kTranspose;
}

// The operand in front of a transpose, with `side` renumbered; the operand itself where none can go. What
// other instructions read as well stays, unless it is an argument.
InstructionId InFrontOfTranspose(DeviceProgram& program, InstructionId operand, DotSide* side) {
  if (!IsTransposed(program, operand)) return operand;
  const bool is_converted = program.opcode(operand) == Opcode::kConvert;
  const InstructionId moved = is_converted ? program.operand(operand, 0) : operand;
  const bool has_others = program.OnlyUser(moved) == kNoId || program.OnlyUser(operand) == kNoId;
  if (has_others && !IsArgument(program, program.operand(moved, 0))) return operand;
  const IntList order = DimensionsOf(program, moved);
  const IntList free = Through(side->free, order);
  if (!absl::c_is_sorted(free)) return operand;
  *side = {Through(side->batch, order), Through(side->contracting, order), free};
  const InstructionId x = program.operand(moved, 0);
  return is_converted ? AddConvert(program, x, program.shape(operand).element_type()) : x;
}

// Batch dimensions first, in whatever order; then what is free on the right; then on the left.
bool ExchangesSides(const IntList& order, size_t batch, size_t left, size_t right) {
  for (size_t k = 0; k < order.size(); ++k) {
    const auto from = static_cast<size_t>(order[k]);
    if (k < batch) {
      if (from >= batch) return false;
    } else if (from != (k < batch + right ? k + left : k - right)) {
      return false;
    }
  }
  return true;
}

}  // namespace

InstructionId FoldTransposesIntoDot(DeviceProgram& program, InstructionId dot) {
  if (program.operands(dot).size() != 2) return kNoId;
  const InstructionId x = program.operand(dot, 0), y = program.operand(dot, 1);
  if (!IsTransposed(program, x) && !IsTransposed(program, y)) return kNoId;
  DotParts parts = PartsOf(program, dot);
  const InstructionId left = InFrontOfTranspose(program, x, &parts.left);
  const InstructionId right = InFrontOfTranspose(program, y, &parts.right);
  if (left == x && right == y) return kNoId;
  const layout::Shape shape = program.shape(dot);
  return CloneDot(program, dot, left, right, parts, shape);
}

InstructionId FoldDotIntoTranspose(DeviceProgram& program, InstructionId transpose) {
  const InstructionId after = program.operand(transpose, 0);
  const bool is_converted = program.opcode(after) == Opcode::kConvert;
  const InstructionId dot = is_converted ? program.operand(after, 0) : after;
  if (program.opcode(dot) != Opcode::kDot || program.operands(dot).size() != 2) return kNoId;
  if (program.OnlyUser(after) != transpose || program.OnlyUser(dot) == kNoId) return kNoId;
  DotParts parts = PartsOf(program, dot);
  const IntList order = DimensionsOf(program, transpose);
  const size_t batch = parts.left.batch.size();
  if (!ExchangesSides(order, batch, parts.left.free.size(), parts.right.free.size())) return kNoId;
  const IntList first(order.begin(), order.begin() + static_cast<int64_t>(batch));
  DotSide left = parts.right, right = parts.left;
  left.batch = right.batch = {};
  for (const int64_t k : first) {
    left.batch.push_back(parts.right.batch[static_cast<size_t>(k)]);
    right.batch.push_back(parts.left.batch[static_cast<size_t>(k)]);
  }
  const InstructionId x = program.operand(dot, 0), y = program.operand(dot, 1);
  const layout::Shape shape = Resized(program.shape(dot), program.shape(transpose).dims());
  const InstructionId made =
      CloneDot(program, dot, y, x, {std::move(left), std::move(right)}, shape);
  if (!is_converted) return made;
  return AddConvert(program, made, program.shape(after).element_type());
}

}  // namespace tessera::target
