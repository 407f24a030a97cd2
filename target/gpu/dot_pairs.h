// Which two products become one: what they share, and whether both are of about the same size.
//
//   a = dot(x, v); b = dot(x, w)                          // ShareSide(a, b, 0)
//   a = dot(reshape(x), v); b = dot(w, columns)           // ShareAcross(a, b), columns = reshape(transpose(x))
//
// The limits are those of dot_merger.cc. Cost: linear in the dimensions. Tested by dot_merger_test.cc.

#ifndef TESSERA_TARGET_GPU_DOT_PAIRS_H_
#define TESSERA_TARGET_GPU_DOT_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tessera/target/program/device_program.h"
#include "tessera/target/simplify/dot_parts.h"

namespace tessera::target {

const DotSide& SideOf(const DotParts& parts, size_t k);

// The array after reshape(x) or reshape(transpose(x)); the operand itself without a reshape.
InstructionId SourceOf(const DeviceProgram& program, InstructionId operand);
// x[M,K] and x[K,M] of one array, M maybe several dimensions.
bool IsTransposed(const DeviceProgram& program, InstructionId columns, InstructionId rows);

// Both have one element type, precision and algorithm.
bool HaveEqualPrecision(const DeviceProgram& program, InstructionId a, InstructionId b);
// Operand k is the same, and the others have one free dimension each.
bool ShareSide(const DeviceProgram& program, InstructionId a, InstructionId b, size_t k);
// Matrices: the left one of `a` is the right one of `b`.
bool ShareAcross(const DeviceProgram& program, InstructionId a, InstructionId b);

// The key that dot-merger sorts dots by: the largest power of two in the free size of operand k, and that size.
std::pair<int64_t, int64_t> SortKey(const DeviceProgram& program, InstructionId dot, size_t k);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_DOT_PAIRS_H_
