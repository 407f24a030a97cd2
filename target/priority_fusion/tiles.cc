#include "tessera/target/priority_fusion/tiles.h"

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

// What is only repeated may be transposed at no price.
bool IsBroadcast(const Expression& expression, absl::Span<const OpFacts> facts, Read read) {
  while (read.kind == Read::kInner) {
    const FusedOp& op = expression[read.index];
    const OpFacts& fact = facts[op.op];
    if (fact.opcode == Opcode::kBroadcast) return true;
    const bool passes = fact.is_elementwise || fact.opcode == Opcode::kBitcast;
    if (!passes || op.reads.size() != 1) return false;
    read = op.reads[0];
  }
  return false;
}

}  // namespace

Read SourceOf(const Expression& expression, absl::Span<const OpFacts> facts) {
  uint32_t at = static_cast<uint32_t>(expression.size() - 1);
  while (true) {
    const FusedOp& op = expression[at];
    const OpFacts& fact = facts[op.op];
    const bool passes = fact.is_elementwise || fact.opcode == Opcode::kBitcast;
    if (!passes || op.reads.size() != 1) return {Read::kInner, at};
    if (op.reads[0].kind == Read::kKernel) return op.reads[0];
    at = op.reads[0].index;
  }
}

bool ScattersReads(const Expression& expression, absl::Span<const OpFacts> facts) {
  return absl::c_any_of(expression, [&](const FusedOp& op) {
    return facts[op.op].moves_minor && !IsBroadcast(expression, facts, op.reads[0]);
  });
}

const OpFacts* TiledOpOf(const Expression& expression, absl::Span<const OpFacts> facts) {
  const Read source = SourceOf(expression, facts);
  if (source.kind == Read::kKernel) return nullptr;
  const OpFacts& fact = facts[expression[source.index].op];
  return fact.is_tiled_reduce || fact.is_tiled_transpose ? &fact : nullptr;
}

const OpFacts* TiledReduceOf(const Expression& expression, absl::Span<const OpFacts> facts) {
  const OpFacts* const tiled = TiledOpOf(expression, facts);
  return tiled != nullptr && tiled->is_tiled_reduce ? tiled : nullptr;
}

bool EndsInReadOf(const Expression& expression, absl::Span<const OpFacts> facts, uint32_t kernel) {
  return SourceOf(expression, facts) == Read{Read::kKernel, kernel};
}

}  // namespace tessera::target
