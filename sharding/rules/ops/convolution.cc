// Convolution: batch and features are those of a matrix product. A spatial dimension of lhs is seen
// as windows times the extent of a window:
//
//   lhs 224, kernel 3, output 112     lhs [jk] with j = 112 windows (permutation, shared with the
//                                     output) and k = 224 / 112 = 2 (reduction, with the kernel)
//
// The larger of the two comes first; what it leaves of lhs bounds the other. Strides, padding and
// dilation do not matter. One that gets nothing of lhs has a factor of its own (permutation):
//
//   lhs 28, kernel 7, output 27       lhs [j], output [j] with j = 27, kernel [k] with k = 7
//
// With groups, the group is the major factor of the dimensions that hold it.

#include <algorithm>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

using hlo::AttributeName;

int64_t GroupCount(const OpView& op, AttributeName name) {
  return std::max<int64_t>(1, hlo::GetInt(*op.module, op.instruction, name).value_or(1));
}

class ConvolutionBuilder {
 public:
  ConvolutionBuilder(const OpView& op, const hlo::ConvolutionDimensions& dims, const RuleMode& mode)
      : dims_(dims),
        mode_(mode),
        batch_groups_(GroupCount(op, AttributeName::kBatchGroupCount)),
        feature_groups_(GroupCount(op, AttributeName::kFeatureGroupCount)),
        builder_(op),
        lhs_(OperandDims(op, 0)),
        kernel_(OperandDims(op, 1)),
        out_(ResultDims(op, 0)) {}

  MaybeRule Build() {
    AddBatch();
    const size_t spatial = mode_.conservative ? 0 : dims_.input_spatial.size();
    for (size_t k = 0; k < spatial; ++k) AddSpatial(k);
    AddFeatures();
    return builder_.Build();
  }

 private:
  void AddBatch() {
    if (batch_groups_ > 1) {
      builder_.Factor({dims_.input_batch, dims_.kernel_output_feature}, {dims_.output_feature},
                      batch_groups_);
    }
    builder_.Factor({dims_.input_batch, kNone}, {dims_.output_batch},
                    SizeAt(out_, dims_.output_batch));
  }

  void AddSpatial(size_t k) {
    const int64_t in = dims_.input_spatial[k];
    const int64_t out = dims_.output_spatial[k];
    const int64_t kernel = dims_.kernel_spatial[k];
    const int64_t windows = SizeAt(out_, out);
    const int64_t extent = SizeAt(kernel_, kernel);
    int64_t rest = SizeAt(lhs_, in);
    const auto add_windows = [&] {
      const int64_t n = std::min(rest, windows);
      if (n <= 1) return AddAlone(kNone, out, windows);
      builder_.Factor({in, kNone}, {out}, n, kPermutation);
      rest /= n;
    };
    const auto add_extent = [&] {
      const int64_t n = std::min(rest, extent);
      if (n <= 1) return AddAlone(kernel, kNone, extent);
      builder_.Factor({in, kernel}, {kNone}, n, kReduction);
      rest /= n;
    };
    if (windows >= extent) add_windows();
    add_extent();
    if (windows < extent) add_windows();
  }

  // A factor that lhs has no part in.
  void AddAlone(int64_t kernel, int64_t out, int64_t size) {
    if (!mode_.behaviors.spatial_factors_permute || size <= 1) return;
    builder_.Factor({kNone, kernel}, {out}, size, kPermutation);
  }

  void AddFeatures() {
    if (feature_groups_ > 1) {
      builder_.Factor({dims_.input_feature, dims_.kernel_output_feature}, {dims_.output_feature},
                      feature_groups_);
    }
    builder_.Factor({dims_.input_feature, dims_.kernel_input_feature}, {kNone},
                    SizeAt(kernel_, dims_.kernel_input_feature), kReduction);
    const int64_t of_group = SizeAt(out_, dims_.output_feature) / batch_groups_ / feature_groups_;
    if (of_group > 1) {
      builder_.Factor({kNone, dims_.kernel_output_feature}, {dims_.output_feature}, of_group);
    }
  }

  const hlo::ConvolutionDimensions& dims_;
  const RuleMode& mode_;
  const int64_t batch_groups_;
  const int64_t feature_groups_;
  RuleBuilder builder_;
  const Dims lhs_, kernel_, out_;
};

}  // namespace

MaybeRule ConvolutionRule(const OpView& op, const RuleMode& mode) {
  const std::optional<hlo::ConvolutionDimensions> dims =
      hlo::GetConvolutionDimensions(*op.module, op.instruction);
  if (!dims || dims->kernel_spatial.size() != dims->input_spatial.size() ||
      dims->output_spatial.size() != dims->input_spatial.size()) {
    return std::nullopt;
  }
  return ConvolutionBuilder(op, *dims, mode).Build();
}

}  // namespace tessera::sharding::rules
