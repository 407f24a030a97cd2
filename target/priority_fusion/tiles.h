// Kernels that XLA makes by tiles, and their reads.
//
//   t = f32[2048,1024] transpose(x)       a kernel that reads and writes tiles
//   r = f32[2048,1024] reverse(t)         the result decides: a loop, whose reads of x are scattered
//
// Cost: linear in the expression. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TILES_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TILES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/target/priority_fusion/model/expression.h"
#include "tessera/target/priority_fusion/model/op_facts.h"

namespace tessera::target {

// What the result is after ops of one operand that work cell by cell: an op, or what is read.
Read SourceOf(const Expression& expression, absl::Span<const OpFacts> facts);

// A transpose to another most minor dimension, of what is not only repeated.
bool ScattersReads(const Expression& expression, absl::Span<const OpFacts> facts);

// The op that decides how XLA makes the kernel. A reduction is found after ops of one operand
// only. A transpose or a concatenate is also found after element-wise ops of two and three, if it
// is the only one.
struct Hero {
  const OpFacts* tiled = nullptr;   // a reduction or a transpose by tiles
  bool joins_equal_arrays = false;  // a concatenate of arrays that are alike
  bool joins_other_arrays = false;  // the result shows a concatenate of arrays of several sizes
};

Hero HeroOf(const Expression& expression, absl::Span<const OpFacts> facts);

// A transpose after it decides as well.
bool PassesCellByCell(const FusedOp& op, absl::Span<const OpFacts> facts);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TILES_H_
