// The input of a windowed operation (slice, pad, reduce-window, convolution), resharded so that
// each device holds what the windows of its part of the output read.
//
//   // f32[16] in 4 shards, windows of 3 with stride 1 and padding 1 on both sides
//   ReshardForWindow(x, window, x.tiling, zero);   // two permutes of f32[1]
//
// XLA: PartitionedHlo::ReshardAsWindowedInput.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_WINDOW_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_WINDOW_H_

#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// Padding: with `mask`, elements beyond the array are the fill value; `mask_pieces` is the same for
// long halos in pieces.
struct WindowMask {
  bool mask = true;
  bool mask_pieces = false;
};

// Windows over `size` elements.
int64_t WindowCount(const hlo::WindowDimension& window, int64_t size);

// `target` is the tiling of the output and must be tiled. Nothing where the partitioner does not
// know how.
std::optional<Windowed> ReshardForWindow(const PartitionedHlo& value, const hlo::Window& window,
                                         const Tiling& target, NodeId fill, WindowMask mask = {});

// The last step if `slice_output` is set.
NodeId SliceOutput(Graph& graph, const Shape& shape, NodeId node, const Windowed& windowed);

struct Sliced {
  NodeId input = -1;  // before the local slice
  NodeId node = -1;
};
// `result`: the unsharded shape of the slice.
std::optional<Sliced> SliceShards(const PartitionedHlo& value,
                                  const std::vector<hlo::SliceDimension>& slice,
                                  const Tiling& target, const Shape& result);
std::optional<NodeId> PadShards(const PartitionedHlo& value,
                                const std::vector<hlo::PaddingDimension>& padding,
                                const Tiling& target, NodeId fill, const Shape& result);
// Moves the padding of uneven dimensions of `dims` to the front; nothing if that is impossible.
std::optional<NodeId> PadOnLeft(const PartitionedHlo& value, Ints dims);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_WINDOW_H_
