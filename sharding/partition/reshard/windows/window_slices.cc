// Slices and pads of sharded arrays, as windows of one element: a slice is negative padding, its
// stride is the window's, interior padding is base dilation. XLA: spmd_partitioner_util,
// ReshardDataForSlicing and ReshardDataForPad.

#include <optional>
#include <vector>

#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {

std::optional<Sliced> SliceShards(const PartitionedHlo& value,
                                  const std::vector<hlo::SliceDimension>& slice,
                                  const Tiling& target, const Shape& result) {
  Graph& graph = value.scope->graph();
  hlo::Window window(slice.size());
  for (int64_t i = 0; i < Size(slice); ++i) {
    At(window, i).stride = At(slice, i).stride;
    At(window, i).padding_low = -At(slice, i).start;
    At(window, i).padding_high = At(slice, i).limit - value.base.dim(i);
  }
  const auto windowed = ReshardForWindow(value, window, target, graph.Zero(value.base),
                                         {/*mask=*/false, /*mask_pieces=*/false});
  if (!windowed.has_value()) return std::nullopt;
  Sliced out = {windowed->input, windowed->input};
  bool is_whole = true;
  std::vector<hlo::SliceDimension> local;
  for (int64_t i = 0; i < Size(slice); ++i) {
    const hlo::WindowDimension& left = At(windowed->window, i);
    const int64_t size = graph.shape(windowed->input).dim(i);
    is_whole &= left.padding_low == 0 && left.padding_high == 0 && At(slice, i).stride == 1;
    local.push_back({-left.padding_low, size + left.padding_high, At(slice, i).stride});
  }
  if (!is_whole) out.node = graph.Slice(ShardShape(result, target), windowed->input, local);
  return out;
}

std::optional<NodeId> PadShards(const PartitionedHlo& value,
                                const std::vector<hlo::PaddingDimension>& padding,
                                const Tiling& target, NodeId fill, const Shape& result) {
  Graph& graph = value.scope->graph();
  hlo::Window window(padding.size());
  WindowMask mask = {/*mask=*/false, /*mask_pieces=*/true};
  // A fill that is not known to be zero must be put in place by the mask.
  const bool zero = graph.IsZero(fill);
  for (int64_t i = 0; i < Size(padding); ++i) {
    const hlo::PaddingDimension& p = At(padding, i);
    At(window, i).padding_low = p.low;
    At(window, i).padding_high = p.high;
    At(window, i).base_dilation = p.interior + 1;
    const int64_t cuts = target.dim(i);
    mask.mask |= cuts > 1 && (p.low > 0 || p.high > 0 || p.interior > 0) &&
                 (!zero || value.base.dim(i) % cuts != 0);
  }
  const auto windowed = ReshardForWindow(value, window, target, fill, mask);
  if (!windowed.has_value()) return std::nullopt;
  Shape shape = graph.shape(windowed->input);
  uint64_t untouched = ~uint64_t{0};
  std::vector<hlo::PaddingDimension> local(padding.size());
  for (int64_t i = 0; i < Size(padding); ++i) {
    const hlo::WindowDimension& left = At(windowed->window, i);
    if (left.padding_low == 0 && left.padding_high == 0 && left.base_dilation == 1) continue;
    shape.set_dim(
        i, (shape.dim(i) - 1) * left.base_dilation + 1 + left.padding_low + left.padding_high);
    At(local, i) = {left.padding_low, left.padding_high, left.base_dilation - 1};
    if (i < 64) untouched &= ~(uint64_t{1} << i);
  }
  NodeId node = windowed->input;
  if (untouched != ~uint64_t{0}) node = graph.Pad(shape, node, fill, untouched, local);
  if (!windowed->slice_output) return node;
  return SliceOutput(graph, ShardShape(result, target), node, *windowed);
}

std::optional<NodeId> PadOnLeft(const PartitionedHlo& value, Ints dims) {
  if (value.tiling.IsMaximal()) return value.node;
  hlo::Window window(static_cast<size_t>(value.base.rank()));
  for (int64_t i : dims) {
    At(window, i).padding_low = RoundUp(value.base.dim(i), value.tiling.dim(i)) - value.base.dim(i);
  }
  const auto windowed =
      ReshardForWindow(value, window, value.tiling, value.scope->graph().Zero(value.base),
                       {/*mask=*/false, /*mask_pieces=*/false});
  if (!windowed.has_value()) return std::nullopt;
  return windowed->input;
}

}  // namespace tessera::sharding::partition
