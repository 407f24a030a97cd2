// Makes a rule factor by factor. The order of the calls is the order of the factors, and that order
// is part of a rule's meaning: propagation settles conflicts by it.
//
//   // dot of lhs[i,k] and rhs[k,j]
//   RuleBuilder b(op);
//   b.Factor({0, kNone}, {0}, m);               // i: dimension 0 of lhs and of the result
//   b.Factor({kNone, 1}, {1}, n);               // j
//   b.Factor({1, 0}, {kNone}, k, kReduction);   // k
//   return b.Build();
//
// A factor of size 1 never joins a dimension that has a factor already, so a call can land on fewer
// dimensions than it names. A dimension that no call named gets a factor of its own, of size 1,
// when the rule is built; these come last, in the order of the tensors.

#ifndef TESSERA_SHARDING_RULES_RULE_BUILDER_H_
#define TESSERA_SHARDING_RULES_RULE_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/rules/op_view.h"

namespace tessera::sharding::rules {

using factors::FactorKind;
using factors::OpShardingRule;
using MaybeRule = std::optional<OpShardingRule>;
using Dims = absl::Span<const int64_t>;

inline constexpr FactorKind kPassThrough = FactorKind::kPassThrough;
inline constexpr FactorKind kReduction = FactorKind::kReduction;
inline constexpr FactorKind kNeedReplication = FactorKind::kNeedReplication;
inline constexpr FactorKind kPermutation = FactorKind::kPermutation;

// "This tensor does not take part."
inline constexpr int64_t kNone = -1;

enum class Blocked : bool { kNo, kYes };
inline Blocked BlockedIf(bool condition) { return condition ? Blocked::kYes : Blocked::kNo; }

// One dimension, or kNone, for each tensor of one side.
using DimList = absl::InlinedVector<int64_t, 4>;

// The first `n` tensors of a side take part with `dim`; use it to put lists together.
inline DimList Same(size_t n, int64_t dim) { return DimList(n, dim); }
DimList Join(DimList a, const DimList& b);

class RuleBuilder {
 public:
  RuleBuilder(absl::Span<const layout::Shape* const> operands,
              absl::Span<const layout::Shape* const> results);
  explicit RuleBuilder(const OpView& op) : RuleBuilder(op.operands, op.results) {}

  // A factor on one dimension, or none, of each operand and each result.
  void Factor(absl::Span<const int64_t> operand_dims, absl::Span<const int64_t> result_dims,
              int64_t size, FactorKind kind = kPassThrough, Blocked blocked = Blocked::kNo);

  // A factor on dimension `dim` of each tensor of rank 1 or more: of all, or of one side. Unlike
  // that of Factor(), one of size 1 also joins a dimension that has a factor already.
  void FactorAll(int64_t dim, int64_t size, FactorKind kind = kPassThrough,
                 Blocked blocked = Blocked::kNo);
  void FactorOperands(int64_t dim, int64_t size, FactorKind kind = kPassThrough,
                      Blocked blocked = Blocked::kNo);
  void FactorResults(int64_t dim, int64_t size, FactorKind kind = kPassThrough,
                     Blocked blocked = Blocked::kNo);

  // FactorAll for each dimension of `shape`.
  void Pointwise(Dims shape);
  // FactorAll for each dimension of `in`. Where `out` has another size the factor is of that kind.
  void Mismatch(Dims in, Dims out, FactorKind kind, Blocked blocked);

  // The rule; nothing if some call named a dimension that a tensor does not have. Leaves the
  // builder empty.
  MaybeRule Build();

 private:
  using Side = std::vector<factors::TensorMapping>;

  int64_t NewFactor(int64_t size, FactorKind kind, Blocked blocked);
  void Put(factors::TensorMapping& tensor, int64_t dim, int64_t factor, bool skip_if_joined);
  void PutAll(Side& side, int64_t dim, int64_t factor);
  void Fill(Side& side);

  factors::RuleSpec spec_;
  bool dims_exist_ = true;
};

// The dimensions of operand / result `i`.
inline Dims OperandDims(const OpView& op, size_t i) { return op.operands[i]->dims(); }
inline Dims ResultDims(const OpView& op, size_t i) { return op.results[i]->dims(); }

// The size of dimension `d`, 1 if there is no such dimension (a factor on it makes Build() fail).
inline int64_t SizeAt(Dims dims, int64_t d) {
  return d >= 0 && d < static_cast<int64_t>(dims.size()) ? dims[d] : 1;
}

inline bool Has(const hlo::IntList& list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

// The attribute `dimensions` of the op, or what the view puts in its place; empty if absent.
hlo::IntList DimensionsOf(const OpView& op);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_RULE_BUILDER_H_
