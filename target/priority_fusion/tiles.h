// Kernels that XLA makes by tiles, and what becomes of their reads.
//
//   t = f32[2048,1024] transpose(x)       a kernel that reads and writes tiles
//   r = f32[2048,1024] reverse(t)         the result decides: a loop, whose reads of x are scattered
//
// Cost: linear in the expression. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TILES_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TILES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/target/priority_fusion/expression.h"
#include "tessera/target/priority_fusion/op_facts.h"

namespace tessera::target {

// What the result is behind ops of one operand that work cell by cell: an op, or what is read.
Read SourceOf(const Expression& expression, absl::Span<const OpFacts> facts);

// A transpose to another most minor dimension, of what is not only repeated.
bool ScattersReads(const Expression& expression, absl::Span<const OpFacts> facts);

// The reduction or transpose that decides how the kernel is made: its result, maybe behind ops of one
// operand. nullptr if there is none.
const OpFacts* TiledOpOf(const Expression& expression, absl::Span<const OpFacts> facts);
// The same, if it is a reduction.
const OpFacts* TiledReduceOf(const Expression& expression, absl::Span<const OpFacts> facts);

// The result is that of `kernel`, maybe behind ops of one operand.
bool EndsInReadOf(const Expression& expression, absl::Span<const OpFacts> facts, uint32_t kernel);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TILES_H_
