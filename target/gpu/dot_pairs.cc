#include "tessera/target/gpu/dot_pairs.h"

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr int64_t kMostBytes = int64_t{64} << 20;
constexpr int64_t kMaxRatio = 16;  // of the bytes of two dots

// The last dimension comes first.
bool IsMovedToFront(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kTranspose) return false;
  const IntList order = DimensionsOf(program, id);
  for (size_t k = 1; k < order.size(); ++k) {
    if (order[k] != static_cast<int64_t>(k) - 1) return false;
  }
  return true;
}

bool HaveEqualDims(const DotSide& a, const DotSide& b) {
  return a.batch == b.batch && a.contracting == b.contracting;
}

// The operands that the two do not share, `of_a` of a and `of_b` of b: one type, and sizes that dot-merger accepts.
bool HaveSizes(const DeviceProgram& program, InstructionId a, InstructionId b, size_t of_a,
               size_t of_b) {
  const InstructionId left = program.operand(a, of_a), right = program.operand(b, of_b);
  if (program.shape(left).element_type() != program.shape(right).element_type()) return false;
  const int64_t one = ResultBytes(program, a) + ResultBytes(program, left);
  const int64_t other = ResultBytes(program, b) + ResultBytes(program, right);
  const auto [less, more] = std::minmax(one, other);
  return less <= kMostBytes && more <= kMaxRatio * less;
}

}  // namespace

InstructionId SourceOf(const DeviceProgram& program, InstructionId operand) {
  if (program.opcode(operand) != Opcode::kReshape) return operand;
  const InstructionId source = program.operand(operand, 0);
  return IsMovedToFront(program, source) ? program.operand(source, 0) : source;
}

bool IsTransposed(const DeviceProgram& program, InstructionId columns, InstructionId rows) {
  for (const InstructionId id : {columns, rows}) {
    if (program.opcode(id) != Opcode::kReshape || program.shape(id).rank() != 2) return false;
  }
  const InstructionId moved = program.operand(columns, 0);
  return IsMovedToFront(program, moved) && program.operand(moved, 0) == program.operand(rows, 0) &&
         program.shape(columns).dim(0) == program.shape(moved).dim(0) &&
         program.shape(rows).dim(1) == program.shape(moved).dim(0);
}

bool HaveEqualPrecision(const DeviceProgram& program, InstructionId a, InstructionId b) {
  const hlo::Module& module = program.module();
  for (const AttributeName name : {AttributeName::kOperandPrecision, AttributeName::kAlgorithm}) {
    if (module.FindAttribute(a, name) != module.FindAttribute(b, name)) return false;
  }
  return program.shape(a).element_type() == program.shape(b).element_type();
}

const DotSide& SideOf(const DotParts& parts, size_t k) { return k == 0 ? parts.left : parts.right; }

bool ShareSide(const DeviceProgram& program, InstructionId a, InstructionId b, size_t k) {
  if (program.operand(a, k) != program.operand(b, k)) return false;
  const DotParts of_a = PartsOf(program, a), of_b = PartsOf(program, b);
  if (!HaveEqualDims(SideOf(of_a, k), SideOf(of_b, k))) return false;
  if (SideOf(of_a, 1 - k).free.size() != 1 || SideOf(of_b, 1 - k).free.size() != 1) return false;
  return HaveSizes(program, a, b, 1 - k, 1 - k);
}

bool ShareAcross(const DeviceProgram& program, InstructionId a, InstructionId b) {
  const InstructionId left = program.operand(a, 0), right = program.operand(b, 1);
  const DotParts of_a = PartsOf(program, a), of_b = PartsOf(program, b);
  for (const DotSide* const side : {&of_a.left, &of_a.right, &of_b.left, &of_b.right}) {
    if (!side->batch.empty() || side->free.size() != 1 || side->contracting.size() != 1)
      return false;
  }
  const bool is_same = left == right && of_a.left.contracting == of_b.right.contracting;
  const bool is_transposed = IsTransposed(program, right, left) && of_a.left.contracting[0] == 1 &&
                             of_b.right.contracting[0] == 0;
  return (is_same || is_transposed) && HaveSizes(program, a, b, 1, 0);
}

std::pair<int64_t, int64_t> SortKey(const DeviceProgram& program, InstructionId dot, size_t k) {
  const int64_t size =
      program.shape(program.operand(dot, k)).dim(SideOf(PartsOf(program, dot), k).free[0]);
  return {size & -size, size};
}

}  // namespace tessera::target
