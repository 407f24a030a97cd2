// The input of a windowed operation (slice, pad, reduce-window, convolution), cut so that every
// device has what the windows of its part of the output need.
//
//   // f32[16] in 4 shards, windows of 3 with stride 1 and padding 1 on both sides
//   ReshardForWindow(x, window, x.tiling, zero);   // two permutes of f32[1]

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_WINDOW_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_WINDOW_H_

#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// How padding is treated: `mask` what stands beyond the array is the fill value; `mask_pieces` the
// same if a long halo is exchanged in pieces.
struct WindowMask {
  bool mask = true;
  bool mask_pieces = false;
};

// Windows over `size` elements.
int64_t WindowCount(const hlo::WindowDimension& window, int64_t size);

// `target` is the tiling of the output and must be tiled. Nothing where the partitioner does not
// know how.
std::optional<Windowed> ReshardForWindow(const Value& value, const hlo::Window& window,
                                         const Tiling& target, NodeId fill, WindowMask mask = {});

// What is done last where `slice_output` says so.
NodeId SliceOutput(Graph& graph, const Shape& shape, NodeId node, const Windowed& windowed);

struct Sliced {
  NodeId input = -1;  // before the local slice
  NodeId node = -1;
};
// `result`: the whole shape of the slice.
std::optional<Sliced> SliceShards(const Value& value, const std::vector<hlo::SliceDimension>& slice,
                                  const Tiling& target, const Shape& result);
std::optional<NodeId> PadShards(const Value& value,
                                const std::vector<hlo::PaddingDimension>& padding,
                                const Tiling& target, NodeId fill, const Shape& result);
// Uneven dimensions of `dims` get their padding in front; nothing if that cannot be.
std::optional<NodeId> PadOnLeft(const Value& value, Ints dims);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_WINDOW_H_
