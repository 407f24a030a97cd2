// A dot in which one dimension m of lhs is cut into groups of sizes given by the third operand G:
//
//   m is            rhs has a group dimension    G's last dimension counts groups of
//   free            yes, q                       m; q selects the matrix of a group
//   contracting     no                           m; the result has a group dimension in front
//   batch           no                           (nothing propagates through G)
//
// G's dimensions are those of the batch, then those of lhs (or of the contraction) in front of m,
// then the groups.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

enum class RaggedMode { kFree, kContracting, kBatch };

class RaggedDotBuilder {
 public:
  explicit RaggedDotBuilder(const OpView& op)
      : dims_(hlo::GetDotDimensions(*op.module, op.instruction)),
        builder_(op),
        lhs_(OperandDims(op, 0)),
        rhs_(OperandDims(op, 1)),
        groups_(OperandDims(op, 2)) {}

  MaybeRule Build() {
    if (!Understood()) return std::nullopt;
    ragged_ = dims_.lhs_ragged[0];
    mode_ = Has(dims_.lhs_contracting, ragged_) ? RaggedMode::kContracting
            : Has(dims_.lhs_batch, ragged_)     ? RaggedMode::kBatch
                                                : RaggedMode::kFree;
    if ((mode_ == RaggedMode::kFree) != (dims_.rhs_group.size() == 1)) return std::nullopt;
    if (mode_ == RaggedMode::kContracting) r_ = 1;
    AddBatch();
    AddFree();
    AddContracting();
    AddGroups();
    return builder_.Build();
  }

 private:
  bool Understood() const {
    return dims_.lhs_ragged.size() == 1 && dims_.lhs_batch.size() == dims_.rhs_batch.size() &&
           dims_.lhs_contracting.size() == dims_.rhs_contracting.size() &&
           dims_.rhs_group.size() <= 1;
  }

  void AddBatch() {
    for (size_t k = 0; k < dims_.lhs_batch.size(); ++k) {
      const int64_t d = dims_.lhs_batch[k];
      const int64_t g = mode_ == RaggedMode::kBatch ? kNone : g_++;
      builder_.Factor({d, dims_.rhs_batch[k], g}, {r_++}, SizeAt(lhs_, d));
    }
  }

  // The dimension of G for a dimension of lhs that `may` stand in front of the ragged one.
  int64_t GroupDim(bool may) { return may && !past_ragged_ ? g_++ : kNone; }

  void AddFree() {
    for (int64_t d = 0; d < static_cast<int64_t>(lhs_.size()); ++d) {
      if (Has(dims_.lhs_batch, d) || Has(dims_.lhs_contracting, d)) continue;
      past_ragged_ |= d == ragged_;
      const int64_t g = GroupDim(mode_ == RaggedMode::kFree);
      builder_.Factor({d, kNone, g}, {r_++}, lhs_[d],
                      d == ragged_ ? kNeedReplication : kPassThrough);
    }
    for (int64_t d = 0; d < static_cast<int64_t>(rhs_.size()); ++d) {
      if (Has(dims_.rhs_batch, d) || Has(dims_.rhs_contracting, d) || Has(dims_.rhs_group, d)) {
        continue;
      }
      builder_.Factor({kNone, d, kNone}, {r_++}, rhs_[d]);
    }
  }

  void AddContracting() {
    for (size_t k = 0; k < dims_.lhs_contracting.size(); ++k) {
      const int64_t d = dims_.lhs_contracting[k];
      past_ragged_ |= d == ragged_;
      const int64_t g = GroupDim(mode_ == RaggedMode::kContracting);
      builder_.Factor({d, dims_.rhs_contracting[k], g}, {kNone}, SizeAt(lhs_, d),
                      d == ragged_ ? kNeedReplication : kReduction);
    }
  }

  void AddGroups() {
    if (mode_ == RaggedMode::kFree) {
      const int64_t q = dims_.rhs_group[0];
      builder_.Factor({kNone, q, g_}, {kNone}, SizeAt(rhs_, q), kNeedReplication);
    } else if (mode_ == RaggedMode::kContracting) {
      builder_.Factor({kNone, kNone, g_}, {0}, SizeAt(groups_, g_), kNeedReplication);
    }
  }

  const hlo::DotDimensions dims_;
  RuleBuilder builder_;
  const Dims lhs_, rhs_, groups_;
  RaggedMode mode_ = RaggedMode::kFree;
  int64_t ragged_ = 0;
  int64_t g_ = 0;  // next dimension of G
  int64_t r_ = 0;  // next dimension of the result
  bool past_ragged_ = false;
};

}  // namespace

MaybeRule RaggedDotRule(const OpView& op, const RuleMode&) { return RaggedDotBuilder(op).Build(); }

}  // namespace tessera::sharding::rules
