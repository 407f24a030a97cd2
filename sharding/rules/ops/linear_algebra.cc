// Factorisations and solvers: the last two dimensions are a matrix, those before are batches. The
// name p is the rows' dimension, q the columns'.

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

// All dimensions of `shape` but the matrix.
Dims Batch(Dims shape) { return shape.subspan(0, shape.size() - 2); }

bool IsMatrix(Dims shape) { return shape.size() >= 2; }

}  // namespace

MaybeRule CholeskyRule(const OpView& op, const RuleMode&) {
  const Dims shape = ResultDims(op, 0);
  RuleBuilder b(op);
  for (size_t d = 0; d < shape.size(); ++d) {
    b.FactorAll(d, shape[d], d + 2 >= shape.size() ? kNeedReplication : kPassThrough);
  }
  return b.Build();
}

// Solves A x = B (left side) or x A = B. Of B only the free dimension reaches the result.
MaybeRule TriangularSolveRule(const OpView& op, const RuleMode&) {
  const Dims a = OperandDims(op, 0);
  const Dims rhs = OperandDims(op, 1);
  if (!IsMatrix(a) || rhs.size() != a.size()) return std::nullopt;
  const int64_t p = static_cast<int64_t>(a.size()) - 2;
  const int64_t q = p + 1;
  const bool left =
      hlo::GetBool(*op.module, op.instruction, hlo::AttributeName::kLeftSide).value_or(false);
  const auto words = hlo::GetWords(*op.module, op.instruction, hlo::AttributeName::kTransposeA);
  const bool transposed = !words.empty() && (words[0] == "TRANSPOSE" || words[0] == "ADJOINT");
  // A's dimension that meets B is p unless transposed on the left, q unless transposed on the
  // right.
  const int64_t with_rhs = left != transposed ? p : q;
  const int64_t with_result = left != transposed ? q : p;
  const int64_t solved = left ? p : q;
  const int64_t free = left ? q : p;
  const auto contract = [&](RuleBuilder& b) {
    b.Factor({with_rhs, solved}, {kNone}, a[with_rhs], kNeedReplication);
  };
  RuleBuilder b(op);
  b.Pointwise(Batch(a));
  if (left) contract(b);
  b.Factor({kNone, free}, {free}, rhs[free], kNeedReplication);
  if (!left) contract(b);
  b.Factor({with_result, kNone}, {solved}, a[with_result], kNeedReplication);
  return b.Build();
}

// x -> vectors, values.
MaybeRule EighRule(const OpView& op, const RuleMode&) {
  if (op.operands.size() != 1 || op.results.size() != 2) return std::nullopt;
  const Dims x = OperandDims(op, 0);
  if (!IsMatrix(x)) return std::nullopt;
  const int64_t p = static_cast<int64_t>(x.size()) - 2;
  const int64_t q = p + 1;
  RuleBuilder b(op);
  b.Pointwise(Batch(x));
  b.Factor({p}, {p, kNone}, x[p]);
  b.Factor({q}, {q, p}, x[q]);
  return b.Build();
}

// x -> packed, taus.
MaybeRule QrRule(const OpView& op, const RuleMode&) {
  if (op.operands.size() != 1 || op.results.size() != 2) return std::nullopt;
  const Dims x = OperandDims(op, 0);
  if (!IsMatrix(x)) return std::nullopt;
  const int64_t p = static_cast<int64_t>(x.size()) - 2;
  const int64_t q = p + 1;
  RuleBuilder b(op);
  b.Pointwise(Batch(x));
  b.Factor({p}, {p, kNone}, x[p], kNeedReplication);
  b.Factor({q}, {q, kNone}, x[q], kNeedReplication);
  b.Factor({kNone}, {kNone, p}, SizeAt(ResultDims(op, 1), p), kNeedReplication);
  return b.Build();
}

// x, taus -> y.
MaybeRule HouseholderRule(const OpView& op, const RuleMode&) {
  if (op.operands.size() != 2 || op.results.size() != 1) return std::nullopt;
  const Dims x = OperandDims(op, 0);
  if (!IsMatrix(x)) return std::nullopt;
  const int64_t p = static_cast<int64_t>(x.size()) - 2;
  const int64_t q = p + 1;
  RuleBuilder b(op);
  b.Pointwise(Batch(x));
  b.Factor({p, kNone}, {p}, x[p], kNeedReplication);
  b.Factor({q, kNone}, {q}, x[q], kNeedReplication);
  b.Factor({kNone, p}, {kNone}, SizeAt(OperandDims(op, 1), p), kNeedReplication);
  return b.Build();
}

}  // namespace tessera::sharding::rules
