// OpShardingRule: which dimensions of an op's operands and results share a factor. It is frozen and
// dense, so that walking, comparing and interning it is cheap.
//
//   absl::StatusOr<OpShardingRule> rule =
//       ParseRule("([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}");  // rule_text.h
//   rule->num_factors();          // 3
//   rule->kind(2);                // FactorKind::kReduction
//   rule->factors(/*tensor=*/1, /*dim=*/0);  // {2}: factor k
//
// Tensors are numbered operands first, then results: tensor t is operand t if t < num_operands(),
// else result t - num_operands().
//
// Memory of a rule, shown for operands [i, jk], [] and result [jk, i]:
//
//   dim_begin_    0     2 2     4      tensor t owns dimensions dim_begin_[t] .. dim_begin_[t+1]
//   factor_begin_ 0  1   3   5  6      dimension n owns factors factor_begin_[n] .. [n+1]
//   factors_      i  jk  jk  i         major to minor
//
// An element of factors_ is a "cell": the meeting of one tensor and one factor. Whatever an engine
// keeps per tensor and factor fits an array of num_cells() elements (see projection.h).

#ifndef TESSERA_SHARDING_FACTORS_RULE_H_
#define TESSERA_SHARDING_FACTORS_RULE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_spec.h"

namespace tessera::sharding::factors {

// One tensor that has a factor, and the cell where they meet.
struct FactorUse {
  int32_t tensor = 0;
  int32_t cell = 0;
};

inline constexpr int kNoCell = -1;

class OpShardingRule {
 public:
  // The rule of an op without tensors: `()->()`.
  OpShardingRule() = default;

  // Freezes `spec`. InvalidArgument if a dimension has no factor, a factor index is outside
  // [0, sizes.size()), or one tensor names a factor twice: what every user of a rule relies on.
  // The finer checks against an op's shapes are in rule_check.h.
  static absl::StatusOr<OpShardingRule> Make(RuleSpec spec);

  // The written form.
  const RuleSpec& spec() const { return spec_; }

  int num_factors() const { return static_cast<int>(spec_.sizes.size()); }
  int num_operands() const { return static_cast<int>(spec_.operands.size()); }
  int num_results() const { return static_cast<int>(spec_.results.size()); }
  int num_tensors() const { return num_operands() + num_results(); }

  // Number of dimensions of tensor `t`.
  int rank(int t) const { return dim_begin_[t + 1] - dim_begin_[t]; }

  // Factors of dimension `d` of tensor `t`, major to minor; at least one.
  absl::Span<const int32_t> factors(int t, int d) const {
    const int n = dim_begin_[t] + d;
    return {factors_.data() + factor_begin_[n],
            static_cast<size_t>(factor_begin_[n + 1] - factor_begin_[n])};
  }
  // All factors of tensor `t`, dimension by dimension.
  absl::Span<const int32_t> factors(int t) const {
    const int begin = factor_begin_[dim_begin_[t]];
    return {factors_.data() + begin, static_cast<size_t>(factor_begin_[dim_begin_[t + 1]] - begin)};
  }

  // --- cells: tensor by tensor, dimension by dimension, major to minor
  int num_cells() const { return static_cast<int>(factors_.size()); }
  int cell_factor(int cell) const { return factors_[cell]; }
  // The cells of tensor `t` are first_cell(t) .. first_cell(t + 1) - 1.
  int first_cell(int t) const { return factor_begin_[dim_begin_[t]]; }
  // Those of its dimension `d` are first_cell(t, d) .. first_cell(t, d + 1) - 1.
  int first_cell(int t, int d) const { return factor_begin_[dim_begin_[t] + d]; }
  // The dimension of tensor `t` in which one of its cells lies.
  int dim_of_cell(int t, int cell) const {
    int d = 0;
    while (cell >= first_cell(t, d + 1)) ++d;
    return d;
  }
  // The cell of tensor `t` and factor `f`, or kNoCell. Linear in the factors of `t`.
  int cell(int t, int f) const;
  // All cells of factor `f`, with their tensors, in the order of the tensors.
  absl::Span<const FactorUse> uses(int f) const {
    return {uses_.data() + use_begin_[f], static_cast<size_t>(use_begin_[f + 1] - use_begin_[f])};
  }

  // --- factors
  int64_t size(int f) const { return spec_.sizes[f]; }
  FactorKind kind(int f) const { return traits_[f].kind; }
  bool blocked(int f) const { return traits_[f].blocked; }
  bool contains(int t, int f) const { return cell(t, f) != kNoCell; }

  // True iff each tensor of rank 1 or more has factor `f`.
  bool in_all_non_scalar_tensors(int f) const { return traits_[f].everywhere; }
  // A pass-through factor that each non-scalar tensor has.
  bool is_batching(int f) const {
    return kind(f) == FactorKind::kPassThrough && in_all_non_scalar_tensors(f);
  }
  // True iff some dimension has more than one factor.
  bool has_compound_dims() const { return factors_.size() + 1 > factor_begin_.size(); }
  bool is_custom() const { return spec_.is_custom; }

  friend bool operator==(const OpShardingRule& a, const OpShardingRule& b) {
    return a.spec_ == b.spec_;
  }
  friend bool operator!=(const OpShardingRule& a, const OpShardingRule& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const OpShardingRule& r) {
    return H::combine(std::move(h), r.spec_);
  }

 private:
  struct FactorTraits {
    FactorKind kind = FactorKind::kPassThrough;
    bool blocked = false;
    bool everywhere = true;
  };

  absl::Status Append(const TensorMapping& tensor);
  absl::Status AppendDim(const DimMapping& dim, size_t tensor_begin);
  void FillUses();
  void FillTraits();

  RuleSpec spec_;
  std::vector<int32_t> dim_begin_ = {0};
  std::vector<int32_t> factor_begin_ = {0};
  std::vector<int32_t> factors_;
  std::vector<FactorTraits> traits_;
  std::vector<int32_t> use_begin_ = {0};
  std::vector<FactorUse> uses_;  // by factor: use_begin_[f] .. use_begin_[f + 1]
};

// The rule of an op whose tensors simply agree: n operands and m results of one shape, dimension d
// being factor d of size shape[d]. Data-flow edges and barriers use it.
OpShardingRule IdentityRule(absl::Span<const int64_t> shape, int num_operands, int num_results);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_H_
