// Gather: operand x, start indices s, result y. The walk over y's dimensions tells, in order, which
// are offsets into x and which are batch dimensions. An offset goes with the next dimension of x
// that is neither collapsed nor batching. A batch dimension goes with the next dimension of s that
// is not the index vector.

#include <algorithm>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

class GatherBuilder {
 public:
  GatherBuilder(const OpView& op, const reference::Behaviors& behaviors)
      : behaviors_(behaviors),
        dims_(hlo::GetGatherDimensions(*op.module, op.instruction)),
        builder_(op),
        x_(OperandDims(op, 0)),
        s_(OperandDims(op, 1)),
        y_(ResultDims(op, 0)) {}

  MaybeRule Build() {
    for (int64_t t = 0; t < static_cast<int64_t>(y_.size()); ++t) {
      Has(dims_.offset_dims, t) ? AddOffset(t) : AddBatch(t);
    }
    for (int64_t c : dims_.collapsed_slice_dims) {
      const bool replicates = SizeAt(x_, c) == 1 && behaviors_.collapsed_one_replicates;
      const FactorKind kind = replicates ? kNeedReplication : kReduction;
      builder_.Factor({c, kNone}, {kNone}, SizeAt(x_, c), kind);
    }
    const int64_t v = dims_.index_vector_dim;
    if (v < static_cast<int64_t>(s_.size())) {
      builder_.Factor({kNone, v}, {kNone}, SizeAt(s_, v), kNeedReplication);
    }
    return builder_.Build();
  }

 private:
  void AddOffset(int64_t t) {
    while (Has(dims_.collapsed_slice_dims, x_dim_) || Has(dims_.operand_batching_dims, x_dim_)) {
      ++x_dim_;
    }
    const int64_t d = x_dim_++;
    const int64_t size = SizeAt(x_, d);
    if (size == y_[t]) {
      builder_.Factor({d, kNone}, {t}, size);
    } else if (y_[t] == 1) {
      builder_.Factor({d, kNone}, {kNone}, size, kReduction);
      builder_.Factor({kNone, kNone}, {t}, 1, kNeedReplication);
    } else {
      builder_.Factor({d, kNone}, {t}, size, kNeedReplication, Blocked::kYes);
    }
  }

  void AddBatch(int64_t t) {
    const int64_t s_dim = batch_ < dims_.index_vector_dim ? batch_ : batch_ + 1;
    ++batch_;
    const hlo::IntList& of_s = dims_.start_indices_batching_dims;
    const size_t k = std::find(of_s.begin(), of_s.end(), s_dim) - of_s.begin();
    const bool shared = k < dims_.operand_batching_dims.size();
    builder_.Factor({shared ? dims_.operand_batching_dims[k] : kNone, s_dim}, {t}, y_[t]);
  }

  const reference::Behaviors& behaviors_;
  const hlo::GatherDimensions dims_;
  RuleBuilder builder_;
  const Dims x_, s_, y_;
  int64_t x_dim_ = 0;
  int64_t batch_ = 0;  // batch dimensions of y seen so far
};

}  // namespace

MaybeRule GatherRule(const OpView& op, const RuleMode& mode) {
  return GatherBuilder(op, mode.behaviors).Build();
}

}  // namespace tessera::sharding::rules
