// Convolution. Output position x of spatial dimension i looks at the input through a window
//
//   stride_i * x - pad_low_i + rhs_dilate_i * k,   0 <= k < size_i,
//
// over an input with lhs_dilate_i - 1 holes between its cells; taps beside the input do not exist
// (policy drop). Of the kernel a block needs the taps that hit the input from at least one of its
// positions. Feature groups tie the input features, batch groups the batch, to the group of the
// output feature.
#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::AttributeName;
using hlo::ConvolutionDimensions;

struct Conv {
  ConvolutionDimensions dims;
  hlo::Window window;
  int64_t feature_groups = 1, batch_groups = 1;
  int feature_axis = -1;      // of the kernel's input features in split form; -1 in block form
  std::vector<int> tap_axes;  // of each spatial dimension in split form

  int spatial() const { return static_cast<int>(window.size()); }
};

Rows InputRows(const OpContext& op, const Conv& c, int index_rank) {
  const ZPoint kernel = op.OperandDims(1);
  const int batch = static_cast<int>(c.dims.input_batch),
            feature = static_cast<int>(c.dims.input_feature);
  const int out_feature = static_cast<int>(c.dims.output_feature);
  const int64_t out_features = kernel[static_cast<int>(c.dims.kernel_output_feature)];
  const int64_t in_features = kernel[static_cast<int>(c.dims.kernel_input_feature)];
  Rows rows(op.OperandDims(0), index_rank);
  rows.Outside(OutOfBoundsPolicy::kDrop).Follow(batch, static_cast<int>(c.dims.output_batch));
  if (c.batch_groups > 1) {
    rows.Group(batch, out_feature, out_features / c.batch_groups,
               op.OperandShape(0).dim(batch) / c.batch_groups);
  }
  c.feature_axis >= 0 ? rows.Follow(feature, c.feature_axis) : rows.Window(feature, in_features);
  if (c.feature_groups > 1)
    rows.Group(feature, out_feature, out_features / c.feature_groups, in_features);
  for (int i = 0; i < c.spatial(); ++i) {
    const hlo::WindowDimension& w = c.window[i];
    const int row = static_cast<int>(c.dims.input_spatial[i]);
    rows.Follow(row, static_cast<int>(c.dims.output_spatial[i]), w.stride)
        .Offset(OffsetRole::kPad, row, -w.padding_low);
    if (c.tap_axes[i] >= 0) {
      rows.Follow(row, c.tap_axes[i], w.window_dilation).Window(row, 1, 1, w.base_dilation);
    } else {
      rows.Window(row, w.size, w.window_dilation, w.base_dilation);
    }
  }
  return rows;
}

absl::StatusOr<ZProjection> KernelProjection(const OpContext& op, const Conv& c, int index_rank) {
  Rows rows(op.OperandDims(1), index_rank);
  const int in_feature = static_cast<int>(c.dims.kernel_input_feature);
  rows.Follow(static_cast<int>(c.dims.kernel_output_feature),
              static_cast<int>(c.dims.output_feature));
  c.feature_axis >= 0 ? rows.Follow(in_feature, c.feature_axis) : rows.Whole(in_feature);
  for (int i = 0; i < c.spatial(); ++i) {
    const int row = static_cast<int>(c.dims.kernel_spatial[i]);
    if (c.tap_axes[i] < 0) {
      rows.Whole(row);
    } else if (c.window[i].reversal) {
      rows.Follow(row, c.tap_axes[i], -1).Offset(OffsetRole::kBounds, row, c.window[i].size - 1);
    } else {
      rows.Follow(row, c.tap_axes[i]);
    }
  }
  return rows.Build();
}

std::vector<TapRule> TapRules(const OpContext& op, const Conv& c) {
  std::vector<TapRule> taps;
  for (int i = 0; i < c.spatial(); ++i) {
    const hlo::WindowDimension& w = c.window[i];
    taps.push_back({static_cast<int>(c.dims.kernel_spatial[i]),
                    static_cast<int>(c.dims.output_spatial[i]), w.size, w.stride, w.padding_low,
                    w.base_dilation, w.window_dilation,
                    op.OperandShape(0).dim(c.dims.input_spatial[i]), w.reversal});
  }
  return taps;
}

bool HasCells(const ZPoint& shape) { return !ZRange::FromShape(shape).empty(); }

}  // namespace

absl::Status ConvolutionRule(const OpContext& op, Signature* s) {
  const std::optional<ConvolutionDimensions> dims = hlo::GetConvolutionDimensions(op.module, op.id);
  if (!dims.has_value()) return OpaqueRule(op, s);
  Conv c;
  c.dims = *dims;
  c.window = hlo::GetWindow(op.module, op.id);
  c.window.resize(dims->output_spatial.size());
  c.feature_groups = hlo::GetInt(op.module, op.id, AttributeName::kFeatureGroupCount).value_or(1);
  c.batch_groups = hlo::GetInt(op.module, op.id, AttributeName::kBatchGroupCount).value_or(1);
  for (int i = 0; i < c.spatial(); ++i) {
    c.tap_axes.push_back(
        AddReductionAxis(op, absl::StrCat("tap", i), c.window[i].size, AxisKind::kReduction, s));
  }
  c.feature_axis = AddReductionAxis(
      op, "feature", op.OperandShape(1).dim(dims->kernel_input_feature), AxisKind::kReduction, s);
  op.Role(0, "lhs", s);
  op.Role(1, "rhs", s);
  if (!HasCells(op.OperandDims(0)) || !HasCells(op.OperandDims(1)))
    return absl::OkStatus();  // only zeros come out
  TESSERA_RETURN_IF_ERROR(op.Read(0, InputRows(op, c, s->index.rank()), s));
  TESSERA_ASSIGN_OR_RETURN(ZProjection kernel, KernelProjection(op, c, s->index.rank()));
  if (op.options.split) return op.Read(1, ProjectionAccess(std::move(kernel)), s);
  return op.Read(1, LiveTapsAccess(std::move(kernel), TapRules(op, c)), s);
}

}  // namespace tessera::projection
