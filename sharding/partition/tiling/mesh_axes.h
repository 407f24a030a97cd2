// The mesh axes that shard the dimensions of a tiling, found from device positions.
//
//   [{'y', 'x'}, {}] on mesh['x'=2, 'y'=3]     AxesOf: {1, 3} {3, 2} | none     (stride, size)
//   of its six shards the first three are 'y'; the first two are no axes:    AxesSplitAt(t, 0, 3)
//
// Linear in the devices. Tested by algebra_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_MESH_AXES_H_
#define TESSERA_SHARDING_PARTITION_TILING_MESH_AXES_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

// An axis of the mesh or a part of one, or several that stand side by side: `size` devices that are
// `stride` apart.
struct MeshAxis {
  int64_t stride = 1, size = 1;

  int64_t end() const { return stride * size; }
  friend bool operator==(const MeshAxis& a, const MeshAxis& b) {
    return a.stride == b.stride && a.size == b.size;
  }
};

using MeshAxes = std::vector<MeshAxis>;  // major to minor

// Of each dimension of data.
std::vector<MeshAxes> AxesOf(const Tiling& tiling);

// The dimensions sharded by an axis, or a part of one, that also shards one of `other_dims`: 'x'
// equals 'x', not 'x':(1)2. None unless the axes of both meshes have equal sizes. The mesh of V1 has
// the fewest axes of which each dimension has whole ones, that of a list of devices one for each
// dimension.
Dims CutByAxesOf(const Tiling& tiling, Ints dims, const Tiling& other, Ints other_dims);

// For a named tiling: whether the first axes of `dim`, the last of them perhaps in part, make
// `major` shards.
bool AxesSplitAt(const Tiling& tiling, int64_t dim, int64_t major);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_MESH_AXES_H_
