#include "tessera/sharding/factors/rule.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::sharding::factors {
namespace {

// Marks with `kind` the members of a group that exist; if a factor is in several groups the first
// group given wins.
template <typename Traits>
void Mark(const std::vector<int64_t>& group, FactorKind kind, std::vector<Traits>* traits) {
  for (int64_t f : group) {
    if (f < 0 || f >= static_cast<int64_t>(traits->size())) continue;
    Traits& t = (*traits)[f];
    if (t.kind == FactorKind::kPassThrough) t.kind = kind;
  }
}

}  // namespace

absl::StatusOr<OpShardingRule> OpShardingRule::Make(RuleSpec spec) {
  OpShardingRule rule;
  rule.spec_ = std::move(spec);
  for (const auto* side : {&rule.spec_.operands, &rule.spec_.results}) {
    for (const TensorMapping& tensor : *side) {
      if (absl::Status status = rule.Append(tensor); !status.ok()) return status;
    }
  }
  rule.FillUses();
  rule.FillTraits();
  return rule;
}

absl::Status OpShardingRule::Append(const TensorMapping& tensor) {
  const size_t tensor_begin = factors_.size();
  for (const DimMapping& dim : tensor) {
    if (absl::Status status = AppendDim(dim, tensor_begin); !status.ok()) return status;
  }
  dim_begin_.push_back(static_cast<int32_t>(factor_begin_.size()) - 1);
  return absl::OkStatus();
}

absl::Status OpShardingRule::AppendDim(const DimMapping& dim, size_t tensor_begin) {
  if (dim.empty()) return absl::InvalidArgumentError("a dimension has no factor");
  for (int64_t f : dim) {
    if (f < 0 || f >= num_factors()) {
      return absl::InvalidArgumentError(absl::StrCat("a dimension names factor ", FactorName(f),
                                                     ", but the rule has ", num_factors(),
                                                     " factors"));
    }
    if (std::find(factors_.begin() + tensor_begin, factors_.end(), f) != factors_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("one tensor names factor ", FactorName(f), " twice"));
    }
    factors_.push_back(static_cast<int32_t>(f));
  }
  factor_begin_.push_back(static_cast<int32_t>(factors_.size()));
  return absl::OkStatus();
}

void OpShardingRule::FillTraits() {
  traits_.resize(spec_.sizes.size());
  Mark(spec_.reduction, FactorKind::kReduction, &traits_);
  Mark(spec_.need_replication, FactorKind::kNeedReplication, &traits_);
  Mark(spec_.permutation, FactorKind::kPermutation, &traits_);
  for (int64_t f : spec_.blocked_propagation) {
    if (f >= 0 && f < num_factors()) traits_[f].blocked = true;
  }
  int non_scalar = 0;
  for (int t = 0; t < num_tensors(); ++t) non_scalar += rank(t) > 0;
  for (int f = 0; f < num_factors(); ++f) {
    traits_[f].everywhere = static_cast<int>(uses(f).size()) == non_scalar;
  }
}

// Counting sort of the cells by factor.
void OpShardingRule::FillUses() {
  use_begin_.assign(num_factors() + 1, 0);
  for (int32_t f : factors_) ++use_begin_[f + 1];
  std::partial_sum(use_begin_.begin(), use_begin_.end(), use_begin_.begin());
  uses_.resize(factors_.size());
  std::vector<int32_t> next = use_begin_;
  for (int t = 0; t < num_tensors(); ++t) {
    for (int cell = first_cell(t); cell < first_cell(t + 1); ++cell) {
      uses_[next[factors_[cell]]++] = {t, cell};
    }
  }
}

int OpShardingRule::cell(int t, int f) const {
  for (int cell = first_cell(t); cell < first_cell(t + 1); ++cell) {
    if (factors_[cell] == f) return cell;
  }
  return kNoCell;
}

OpShardingRule IdentityRule(absl::Span<const int64_t> shape, int num_operands, int num_results) {
  RuleSpec spec;
  spec.sizes.assign(shape.begin(), shape.end());
  TensorMapping all(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) all[d] = {static_cast<int64_t>(d)};
  spec.operands.assign(num_operands, all);
  spec.results.assign(num_results, all);
  return *OpShardingRule::Make(std::move(spec));
}

}  // namespace tessera::sharding::factors
