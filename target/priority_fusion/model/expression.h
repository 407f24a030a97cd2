// The expression of a kernel: the instructions that were fused into it.
//
//   Expression e;          // t = tanh(x); e = add(t, y), with x and y results of kernels 3 and 4
//   e[0] = {tanh, {{Read::kKernel, 3}}};
//   e[1] = {add, {{Read::kInner, 0}, {Read::kKernel, 4}}};      // the last one is the result
//   e = Fused(producer, 3, e);      // kernel 3's expression takes the place of its result
//   OperandsAsMerged(e);            // {4, 3}: the order in which XLA lists what e reads
//
// Cost: linear in the expressions. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_MODEL_EXPRESSION_H_
#define TESSERA_TARGET_PRIORITY_FUSION_MODEL_EXPRESSION_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace tessera::target {

struct Read {
  enum Kind : uint8_t { kInner, kKernel };
  Kind kind = kKernel;
  uint32_t index = 0;  // of a FusedOp of the same expression, or of a kernel
  bool operator==(const Read& other) const { return kind == other.kind && index == other.index; }
};

struct FusedOp {
  uint32_t op = 0;  // the instruction, as an index into the computation's list
  absl::InlinedVector<Read, 2> reads;
};

using Expression = absl::InlinedVector<FusedOp, 1>;  // operands first

// The kernels that an expression reads, each once, and by kernel its place among them; others have any.
struct OperandPlaces {
  absl::Span<const uint32_t> kernels;
  absl::Span<const uint32_t> places;
};

// `consumer` with `producer`'s ops in front; it read the result of `kernel`.
Expression Fused(const Expression& producer, uint32_t kernel, Expression consumer);

// Reads `to` where it read `from`.
void ReplaceReads(Expression* expression, uint32_t from, uint32_t to);

// Kernels that it reads, each once, in reverse post-order. XLA appends them so when it takes the
// fusion apart and fuses its instructions into another one.
std::vector<uint32_t> OperandsAsMerged(const Expression& expression);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_MODEL_EXPRESSION_H_
