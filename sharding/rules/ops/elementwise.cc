// Ops whose tensors look alike: element-wise ones, and those that need one word more.

#include <algorithm>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

// Maps dimension d to factor d.
factors::TensorMapping Iota(int64_t rank) {
  factors::TensorMapping tensor(rank);
  for (int64_t d = 0; d < rank; ++d) tensor[d] = {d};
  return tensor;
}

}  // namespace

// The sizes come from the first result even where other tensors differ (an all-reduce of several
// arrays). A tensor of higher rank would name factors that do not exist.
MaybeRule Pointwise(absl::Span<const layout::Shape* const> operands,
                    absl::Span<const layout::Shape* const> results) {
  if (results.empty() || !results[0]->is_array()) return std::nullopt;
  const layout::Shape& first = *results[0];
  factors::RuleSpec spec;
  spec.sizes.assign(first.dims().begin(), first.dims().end());
  for (const layout::Shape* shape : operands) spec.operands.push_back(Iota(shape->rank()));
  for (const layout::Shape* shape : results) spec.results.push_back(Iota(shape->rank()));
  absl::StatusOr<OpShardingRule> rule = OpShardingRule::Make(std::move(spec));
  if (!rule.ok()) return std::nullopt;
  return *std::move(rule);
}

MaybeRule PointwiseOp(const OpView& op, const RuleMode&) {
  return Pointwise(op.operands, op.results);
}

// acos, acosh, asin, asinh, atanh, cosh, erf, sinh.
MaybeRule HyperbolicRule(const OpView& op, const RuleMode& mode) {
  if (!mode.behaviors.hyperbolic_ops_have_rules) return std::nullopt;
  return PointwiseOp(op, mode);
}

// The bounds may be scalars; so may the predicate of select.
MaybeRule ClampRule(const OpView& op, const RuleMode&) {
  RuleBuilder b(op);
  b.Pointwise(OperandDims(op, 1));
  return b.Build();
}

MaybeRule SelectRule(const OpView& op, const RuleMode&) {
  RuleBuilder b(op);
  b.Pointwise(ResultDims(op, 0));
  return b.Build();
}

MaybeRule ReverseRule(const OpView& op, const RuleMode&) {
  const hlo::IntList reversed = DimensionsOf(op);
  const Dims shape = ResultDims(op, 0);
  RuleBuilder b(op);
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool moves = std::count(reversed.begin(), reversed.end(), d) > 0;
    b.FactorAll(d, shape[d], moves ? kPermutation : kPassThrough);
  }
  return b.Build();
}

// A change of width by bitcast adds or takes away the last dimension.
MaybeRule BitcastConvertRule(const OpView& op, const RuleMode&) {
  const Dims in = OperandDims(op, 0);
  const Dims out = ResultDims(op, 0);
  RuleBuilder b(op);
  b.Pointwise(in.size() < out.size() ? in : out);
  const int64_t last_in = static_cast<int64_t>(in.size()) - 1;
  const int64_t last_out = static_cast<int64_t>(out.size()) - 1;
  if (last_out > last_in) b.Factor({kNone}, {last_out}, out[last_out], kNeedReplication);
  if (last_in > last_out) b.Factor({last_in}, {kNone}, in[last_in], kNeedReplication);
  return b.Build();
}

}  // namespace tessera::sharding::rules
