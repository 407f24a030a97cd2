// A sharding rule as it is written: plain lists, to be filled by a builder, a parser or by hand.
// `OpShardingRule` (rule.h) is the checked and frozen form that the engines use.
//
// A rule names the index spaces ("factors") that the tensors of one op share. Matrix product of
// f32[4,8] and f32[8,6], its text being `([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}`:
//
//   RuleSpec rule;
//   rule.sizes = {4, 6, 8};
//   rule.operands = {{{0}, {2}}, {{2}, {1}}};  // operand -> dimension -> factors, major to minor
//   rule.results = {{{0}, {1}}};
//   rule.reduction = {2};

#ifndef TESSERA_SHARDING_FACTORS_RULE_SPEC_H_
#define TESSERA_SHARDING_FACTORS_RULE_SPEC_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace tessera::sharding::factors {

// The effect of sharding a factor on the op. Whether shardings may travel along the factor at all
// ("blocked propagation") is a separate property.
enum class FactorKind : uint8_t {
  kPassThrough = 0,
  kReduction,        // leaves partial results, which a reduction must combine
  kNeedReplication,  // the op wants the whole extent on each device
  kPermutation,      // works sharded, at the price of exchange with neighbours
};

// The factors of one dimension, major to minor.
using DimMapping = absl::InlinedVector<int64_t, 2>;
// The dimensions of one tensor; empty for a scalar and for a token.
using TensorMapping = std::vector<DimMapping>;

// Factor indices point into `sizes`; nothing is checked here, see CheckRule in rule_check.h.
// The four groups keep the order in which they were written.
struct RuleSpec {
  std::vector<int64_t> sizes;
  std::vector<TensorMapping> operands;
  std::vector<TensorMapping> results;
  std::vector<int64_t> reduction;
  std::vector<int64_t> need_replication;
  std::vector<int64_t> permutation;
  std::vector<int64_t> blocked_propagation;
  bool is_custom = false;  // given by the user

  friend bool operator==(const RuleSpec& a, const RuleSpec& b) {
    return a.sizes == b.sizes && a.operands == b.operands && a.results == b.results &&
           a.reduction == b.reduction && a.need_replication == b.need_replication &&
           a.permutation == b.permutation && a.blocked_propagation == b.blocked_propagation &&
           a.is_custom == b.is_custom;
  }
  friend bool operator!=(const RuleSpec& a, const RuleSpec& b) { return !(a == b); }

  template <typename H>
  friend H AbslHashValue(H h, const RuleSpec& r) {
    return H::combine(std::move(h), r.sizes, r.operands, r.results, r.reduction, r.need_replication,
                      r.permutation, r.blocked_propagation, r.is_custom);
  }
};

// The name of factor `index` in rule text: i, j, ... z, then z_1, z_2, ... A negative index, which
// no valid rule holds, is shown as a number.
std::string FactorName(int64_t index);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_SPEC_H_
