// Scatter: N inputs x, start indices s, N updates u, N results of the inputs' shapes. It is the
// walk of gather with the first update in the place of the result. What is said of x holds for all
// inputs and all results, what is said of u for all updates.

#include <algorithm>

#include "tessera/sharding/rules/families.h"
#include "tessera/sharding/rules/update_computation.h"

namespace tessera::sharding::rules {
namespace {

class ScatterBuilder {
 public:
  ScatterBuilder(const OpView& op, const reference::Behaviors& behaviors)
      : dims_(hlo::GetScatterDimensions(*op.module, op.instruction)),
        n_(op.operands.size() / 2),
        builder_(op),
        x_(OperandDims(op, 0)),
        s_(OperandDims(op, n_)),
        u_(OperandDims(op, n_ + 1)),
        of_window_(behaviors.scatter_window_replicates ? kNeedReplication : kPassThrough) {
    const auto called = op.module->called(op.instruction);
    reduces_ =
        !behaviors.scatter_body_matters || (!called.empty() && IsReduction(*op.module, called[0]));
  }

  MaybeRule Build() {
    for (int64_t t = 0; t < static_cast<int64_t>(u_.size()); ++t) {
      Has(dims_.update_window_dims, t) ? AddWindow(t) : AddBatch(t);
    }
    for (int64_t c : dims_.inserted_window_dims) Add(c, kNone, kNone, SizeAt(x_, c));
    const int64_t v = dims_.index_vector_dim;
    if (v < static_cast<int64_t>(s_.size())) Add(kNone, v, kNone, SizeAt(s_, v), kNeedReplication);
    return builder_.Build();
  }

 private:
  void Add(int64_t x, int64_t s, int64_t u, int64_t size, FactorKind kind = kPassThrough) {
    builder_.Factor(Join(Join(Same(n_, x), {s}), Same(n_, u)), Same(n_, x), size, kind);
  }

  void AddWindow(int64_t t) {
    while (Has(dims_.inserted_window_dims, x_dim_) || Has(dims_.input_batching_dims, x_dim_)) {
      ++x_dim_;
    }
    const int64_t d = x_dim_++;
    if (SizeAt(x_, d) == u_[t]) {
      Add(d, kNone, t, u_[t]);
    } else {
      Add(d, kNone, kNone, SizeAt(x_, d), of_window_);
      Add(kNone, kNone, t, u_[t], kNeedReplication);
    }
  }

  void AddBatch(int64_t t) {
    const int64_t s_dim = batch_ < dims_.index_vector_dim ? batch_ : batch_ + 1;
    ++batch_;
    const hlo::IntList& of_s = dims_.scatter_indices_batching_dims;
    const size_t k = std::find(of_s.begin(), of_s.end(), s_dim) - of_s.begin();
    if (k < dims_.input_batching_dims.size()) {
      Add(dims_.input_batching_dims[k], s_dim, t, u_[t]);
    } else {
      Add(kNone, s_dim, t, u_[t], reduces_ ? kReduction : kNeedReplication);
    }
  }

  const hlo::ScatterDimensions dims_;
  const size_t n_;
  RuleBuilder builder_;
  const Dims x_, s_, u_;
  const FactorKind of_window_;  // of an input's dimension that the window covers in part
  bool reduces_ = false;
  int64_t x_dim_ = 0;
  int64_t batch_ = 0;  // batch dimensions of u seen so far
};

}  // namespace

MaybeRule ScatterRule(const OpView& op, const RuleMode& mode) {
  if (op.operands.size() % 2 == 0) return std::nullopt;
  return ScatterBuilder(op, mode.behaviors).Build();
}

}  // namespace tessera::sharding::rules
