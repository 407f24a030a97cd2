// Scatter: N inputs x, start indices s, N updates u, N results of the inputs' shapes. It is the
// walk of gather with the first update in the place of the result. What is said of x holds for all
// inputs and all results, what is said of u for all updates.

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

using hlo::Opcode;

// The operation of the instruction, if it is one that reduces.
std::optional<Opcode> ReducingOpcode(const hlo::Module& module, hlo::InstructionId id) {
  const bool pred = module.shape(id).element_type() == layout::ElementType::kPred;
  switch (const Opcode opcode = module.instruction(id).opcode) {
    case Opcode::kAdd:
      return pred ? Opcode::kOr : Opcode::kAdd;
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return opcode;
    case Opcode::kAnd:
    case Opcode::kOr:
      return pred ? std::optional(opcode) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// The two operands are `a` and `b`, in either order.
bool Reads(const hlo::Module& module, hlo::InstructionId id, hlo::InstructionId a,
           hlo::InstructionId b) {
  const absl::Span<const hlo::InstructionId> operands = module.operands(id);
  if (operands.size() != 2) return false;
  return (operands[0] == a && operands[1] == b) || (operands[0] == b && operands[1] == a);
}

// Scatters that combine by a reduction may be split over updates: each device reduces its share, and
// the partial results are reduced again. True if `computation`, of 2N parameters, returns N values, the k-th of which is an operation on
// parameters k and k+N and nothing else. It is the same operation for all k: one of add, multiply,
// maximum, minimum, or on PRED and, or. (An add on PRED counts as the or that it is.)
bool IsReduction(const hlo::Module& module, hlo::ComputationId id) {
  const hlo::Computation& computation = module.computation(id);
  if (computation.root == hlo::kNoId) return false;
  absl::Span<const hlo::InstructionId> roots = absl::MakeConstSpan(&computation.root, 1);
  if (module.instruction(computation.root).opcode == Opcode::kTuple) {
    roots = module.operands(computation.root);
  }
  const size_t n = roots.size();
  const std::vector<hlo::InstructionId>& parameters = computation.parameters;
  if (n == 0 || parameters.size() != 2 * n) return false;
  const std::optional<Opcode> first = ReducingOpcode(module, roots[0]);
  for (size_t k = 0; k < n; ++k) {
    if (!first || ReducingOpcode(module, roots[k]) != first) return false;
    if (!Reads(module, roots[k], parameters[k], parameters[k + n])) return false;
  }
  return true;
}

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
