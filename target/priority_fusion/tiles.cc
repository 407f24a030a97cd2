#include "tessera/target/priority_fusion/tiles.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"

namespace tessera::target {
namespace {

bool PassesCellByCell(const OpFacts& fact) {
  return fact.is_elementwise || fact.opcode == Opcode::kBitcast;
}

bool JoinsArrays(const OpFacts& fact) { return fact.opcode == Opcode::kConcatenate; }

bool JoinsEqualArrays(const OpFacts& fact) {
  return JoinsArrays(fact) && fact.looped_elements != fact.elements;
}

// Ops by how they lead to the result.
class TileWays {
 public:
  TileWays(const Expression& expression, absl::Span<const OpFacts> facts)
      : expression_(expression),
        facts_(facts),
        is_reached_(expression.size()),
        is_mixed_(expression.size()) {
    is_reached_.back() = true;
    for (size_t k = expression.size(); k-- > 0;) {
      const bool passes = target::PassesCellByCell(expression[k], facts);
      if (!passes) is_mixed_[k] = true;
      for (const Read& read : expression[k].reads) {
        if (read.kind == Read::kKernel) continue;
        if (passes && is_reached_[k]) is_reached_[read.index] = true;
        if (is_mixed_[k]) is_mixed_[read.index] = true;
      }
    }
  }

  // The one such op that the result shows, if nothing else than ops that pass it on uses it.
  template <typename Predicate>
  std::optional<uint32_t> Only(Predicate is_it) const {
    std::optional<uint32_t> found;
    for (uint32_t k = 0; k < expression_.size(); ++k) {
      if (!is_reached_[k] || !is_it(facts_[expression_[k].op])) continue;
      if (found.has_value()) return std::nullopt;
      found = k;
    }
    if (found.has_value() && IsReadByMixed({Read::kInner, *found})) return std::nullopt;
    return found;
  }

 private:
  bool IsReadByMixed(const Read& what) const {
    for (size_t k = 0; k < expression_.size(); ++k) {
      if (is_mixed_[k] && absl::c_linear_search(expression_[k].reads, what)) return true;
    }
    return false;
  }

  const Expression& expression_;
  absl::Span<const OpFacts> facts_;
  absl::InlinedVector<bool, 64> is_reached_;  // by ops that pass on cell by cell
  absl::InlinedVector<bool, 64> is_mixed_;    // used, maybe through others, by one that does not
};

// What is only repeated may be transposed at no price.
bool IsBroadcast(const Expression& expression, absl::Span<const OpFacts> facts, Read read) {
  while (read.kind == Read::kInner) {
    const FusedOp& op = expression[read.index];
    const OpFacts& fact = facts[op.op];
    if (fact.opcode == Opcode::kBroadcast) return true;
    if (!PassesCellByCell(fact) || op.reads.size() != 1) return false;
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
    if (!PassesCellByCell(fact) || op.reads.size() != 1) return {Read::kInner, at};
    if (op.reads[0].kind == Read::kKernel) return op.reads[0];
    at = op.reads[0].index;
  }
}

bool ScattersReads(const Expression& expression, absl::Span<const OpFacts> facts) {
  return absl::c_any_of(expression, [&](const FusedOp& op) {
    return facts[op.op].moves_minor && !IsBroadcast(expression, facts, op.reads[0]);
  });
}

bool PassesCellByCell(const FusedOp& op, absl::Span<const OpFacts> facts) {
  constexpr size_t kMostOperands = 3;
  return PassesCellByCell(facts[op.op]) && !op.reads.empty() && op.reads.size() <= kMostOperands;
}

Hero HeroOf(const Expression& expression, absl::Span<const OpFacts> facts) {
  Hero hero;
  const Read source = SourceOf(expression, facts);
  if (source.kind == Read::kInner && facts[expression[source.index].op].is_tiled_reduce) {
    hero.tiled = &facts[expression[source.index].op];
    return hero;
  }
  const TileWays ways(expression, facts);
  const auto transpose = ways.Only([](const OpFacts& fact) { return fact.is_tiled_transpose; });
  if (transpose.has_value()) hero.tiled = &facts[expression[*transpose].op];
  if (!transpose.has_value()) {
    hero.joins_equal_arrays = ways.Only(JoinsEqualArrays).has_value();
    hero.joins_other_arrays = !hero.joins_equal_arrays && ways.Only(JoinsArrays).has_value();
  }
  return hero;
}

}  // namespace tessera::target
