// The functions after the table of rules.cc: one for each kind of op, one file for each family.
// They are called with at least as many operands and results as the table demands, all of them
// without dynamic dimensions.

#ifndef TESSERA_SHARDING_RULES_FAMILIES_H_
#define TESSERA_SHARDING_RULES_FAMILIES_H_

#include "tessera/sharding/rules/op_view.h"
#include "tessera/sharding/rules/rule_builder.h"
#include "tessera/sharding/rules/rule_mode.h"

namespace tessera::sharding::rules {

// elementwise.cc
MaybeRule Pointwise(absl::Span<const layout::Shape* const> operands,
                    absl::Span<const layout::Shape* const> results);
MaybeRule PointwiseOp(const OpView& op, const RuleMode& mode);
MaybeRule HyperbolicRule(const OpView& op, const RuleMode& mode);
MaybeRule ClampRule(const OpView& op, const RuleMode& mode);
MaybeRule SelectRule(const OpView& op, const RuleMode& mode);
MaybeRule ReverseRule(const OpView& op, const RuleMode& mode);
MaybeRule BitcastConvertRule(const OpView& op, const RuleMode& mode);

// broadcast.cc, reshape.cc, transpose.cc
MaybeRule BroadcastRule(const OpView& op, const RuleMode& mode);
MaybeRule ReshapeRule(const OpView& op, const RuleMode& mode);
MaybeRule TransposeRule(const OpView& op, const RuleMode& mode);

// slicing.cc
MaybeRule SliceRule(const OpView& op, const RuleMode& mode);
MaybeRule PadRule(const OpView& op, const RuleMode& mode);
MaybeRule DynamicSliceRule(const OpView& op, const RuleMode& mode);
MaybeRule DynamicUpdateSliceRule(const OpView& op, const RuleMode& mode);
MaybeRule ConcatenateRule(const OpView& op, const RuleMode& mode);

// gather.cc, scatter.cc
MaybeRule GatherRule(const OpView& op, const RuleMode& mode);
MaybeRule ScatterRule(const OpView& op, const RuleMode& mode);

// dot.cc, ragged_dot.cc, convolution.cc
MaybeRule DotRule(const OpView& op, const RuleMode& mode);
MaybeRule RaggedDotRule(const OpView& op, const RuleMode& mode);
MaybeRule ConvolutionRule(const OpView& op, const RuleMode& mode);

// reduce.cc, window.cc
MaybeRule ReduceRule(const OpView& op, const RuleMode& mode);
MaybeRule ReduceWindowRule(const OpView& op, const RuleMode& mode);
MaybeRule SelectAndScatterRule(const OpView& op, const RuleMode& mode);

// collectives.cc
MaybeRule GatherAlongRule(const OpView& op, const RuleMode& mode);
MaybeRule AllToAllRule(const OpView& op, const RuleMode& mode);

// linear_algebra.cc
MaybeRule CholeskyRule(const OpView& op, const RuleMode& mode);
MaybeRule TriangularSolveRule(const OpView& op, const RuleMode& mode);
MaybeRule EighRule(const OpView& op, const RuleMode& mode);
MaybeRule QrRule(const OpView& op, const RuleMode& mode);
MaybeRule HouseholderRule(const OpView& op, const RuleMode& mode);

// sorting.cc
MaybeRule SortRule(const OpView& op, const RuleMode& mode);
MaybeRule TopkRule(const OpView& op, const RuleMode& mode);
MaybeRule ApproxTopKRule(const OpView& op, const RuleMode& mode);

// rest.cc
MaybeRule BatchNormInferenceRule(const OpView& op, const RuleMode& mode);
MaybeRule FftRule(const OpView& op, const RuleMode& mode);
MaybeRule RngBitGeneratorRule(const OpView& op, const RuleMode& mode);

// scan.cc
MaybeRule ScanRule(const OpView& op, const RuleMode& mode);

// custom_call.cc
MaybeRule CustomCallRule(const OpView& op, const RuleMode& mode);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_FAMILIES_H_
