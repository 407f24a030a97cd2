#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/proto/values/proto_values.h"
#include "tessera/hlo/values/value_printer.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
using Proto = pb::HloInstructionProto;
using Text = std::optional<std::string>;

Text WindowText(const Proto& proto, const Payloads&) {
  if (!proto.has_window()) return std::nullopt;
  Window window;
  for (const pb::WindowProto::Dimension& d : proto.window().dimensions()) {
    window.push_back({d.size(), d.stride(), d.padding_low(), d.padding_high(), d.base_dilation(),
                      d.window_dilation(), d.window_reversal()});
  }
  return PrintWindow(window);
}

absl::Status StoreWindow(const Module& module, InstructionId id, absl::string_view, Proto* proto) {
  proto->mutable_window();
  for (const WindowDimension& d : GetWindow(module, id)) {
    pb::WindowProto::Dimension* to = proto->mutable_window()->add_dimensions();
    to->set_size(d.size);
    to->set_stride(d.stride);
    to->set_padding_low(d.padding_low);
    to->set_padding_high(d.padding_high);
    to->set_base_dilation(d.base_dilation);
    to->set_window_dilation(d.window_dilation);
    to->set_window_reversal(d.reversal);
  }
  return absl::OkStatus();
}

// Labels have one character a dimension, so the numbers must be small.
bool AreSmall(const ConvolutionDimensions& d) {
  constexpr int64_t kMost = 64;
  IntList all = {d.input_batch,           d.input_feature, d.kernel_input_feature,
                 d.kernel_output_feature, d.output_batch,  d.output_feature};
  for (const IntList* list : {&d.input_spatial, &d.kernel_spatial, &d.output_spatial}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  return std::all_of(all.begin(), all.end(), [](int64_t dim) { return dim >= 0 && dim < kMost; });
}

Text LabelsText(const Proto& proto, const Payloads&) {
  if (!proto.has_convolution_dimension_numbers()) return std::nullopt;
  const pb::ConvolutionDimensionsProto& from = proto.convolution_dimension_numbers();
  ConvolutionDimensions d;
  d.input_batch = from.input_batch_dimension();
  d.input_feature = from.input_feature_dimension();
  d.kernel_input_feature = from.kernel_input_feature_dimension();
  d.kernel_output_feature = from.kernel_output_feature_dimension();
  d.output_batch = from.output_batch_dimension();
  d.output_feature = from.output_feature_dimension();
  const auto copy = [](const auto& list, IntList* to) { to->assign(list.begin(), list.end()); };
  copy(from.input_spatial_dimensions(), &d.input_spatial);
  copy(from.kernel_spatial_dimensions(), &d.kernel_spatial);
  copy(from.output_spatial_dimensions(), &d.output_spatial);
  return AreSmall(d) ? PrintConvolutionDimensions(d) : "invalid";
}

absl::Status StoreLabels(const Module& module, InstructionId id, absl::string_view, Proto* proto) {
  const auto d = GetConvolutionDimensions(module, id);
  if (!d.has_value()) return absl::OkStatus();
  pb::ConvolutionDimensionsProto* to = proto->mutable_convolution_dimension_numbers();
  to->set_input_batch_dimension(d->input_batch);
  to->set_input_feature_dimension(d->input_feature);
  to->set_kernel_input_feature_dimension(d->kernel_input_feature);
  to->set_kernel_output_feature_dimension(d->kernel_output_feature);
  to->set_output_batch_dimension(d->output_batch);
  to->set_output_feature_dimension(d->output_feature);
  for (int64_t dim : d->input_spatial) to->add_input_spatial_dimensions(dim);
  for (int64_t dim : d->kernel_spatial) to->add_kernel_spatial_dimensions(dim);
  for (int64_t dim : d->output_spatial) to->add_output_spatial_dimensions(dim);
  return absl::OkStatus();
}

Text PaddingText(const Proto& proto, const Payloads&) {
  std::vector<PaddingDimension> padding;
  for (const pb::PaddingProto::Dimension& d : proto.padding_config().dimensions()) {
    padding.push_back({d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  }
  return PrintPadding(padding);
}

absl::Status StorePadding(const Module& module, InstructionId id, absl::string_view, Proto* proto) {
  proto->mutable_padding_config();
  for (const PaddingDimension& d : GetPadding(module, id)) {
    pb::PaddingProto::Dimension* to = proto->mutable_padding_config()->add_dimensions();
    to->set_edge_padding_low(d.low);
    to->set_edge_padding_high(d.high);
    to->set_interior_padding(d.interior);
  }
  return absl::OkStatus();
}

Text SliceText(const Proto& proto, const Payloads&) {
  std::vector<SliceDimension> slice;
  for (const Proto::SliceDimension& d : proto.slice_dimensions()) {
    slice.push_back({d.start(), d.limit(), d.stride()});
  }
  return PrintSlice(slice);
}

absl::Status StoreSlice(const Module& module, InstructionId id, absl::string_view, Proto* proto) {
  for (const SliceDimension& d : GetSlice(module, id)) {
    Proto::SliceDimension* to = proto->add_slice_dimensions();
    to->set_start(d.start);
    to->set_limit(d.limit);
    to->set_stride(d.stride);
  }
  return absl::OkStatus();
}

// slice_sizes of collective-permute: the lists follow each other in one; all are equally long.
Text SliceSizesText(const Proto& proto, const Payloads&) {
  const auto& sizes = proto.dynamic_slice_sizes();
  if (sizes.empty()) return std::nullopt;
  const pb::ShapeProto* array = &proto.shape();
  while (array->tuple_shapes_size() > 0) array = &array->tuple_shapes(0);
  const int rank = std::max(array->dimensions_size(), 1);
  std::vector<std::string> lists;
  for (int i = 0; i < sizes.size(); i += rank) {
    const int end = std::min(i + rank, sizes.size());
    lists.push_back(
        absl::StrCat("{", absl::StrJoin(sizes.begin() + i, sizes.begin() + end, ","), "}"));
  }
  return absl::StrCat("{", absl::StrJoin(lists, ","), "}");
}

absl::Status StoreSliceSizes(const Module& module, InstructionId id, absl::string_view,
                             Proto* proto) {
  const auto lists = GetIntLists(module, id, A::kSliceSizes);
  if (!lists.has_value()) return absl::OkStatus();
  for (const IntList& list : *lists) {
    for (int64_t size : list) proto->add_dynamic_slice_sizes(size);
  }
  return absl::OkStatus();
}

constexpr ValueRow kDimensionRows[] = {
    {A::kWindow, WindowText, StoreWindow},
    {A::kDimLabels, LabelsText, StoreLabels},
    {A::kPadding, PaddingText, StorePadding},
    {A::kSlice, SliceText, StoreSlice},
    {A::kSliceSizes, SliceSizesText, StoreSliceSizes},
};

}  // namespace

absl::Span<const ValueRow> DimensionValueRows() { return kDimensionRows; }

}  // namespace tessera::hlo
