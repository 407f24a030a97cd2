// The axes of the mesh that cut the dimensions of a tiling, found from where its devices stand.
//
//   [{'y', 'x'}, {}] on mesh['x'=2, 'y'=3]     AxesOf: {1, 3} {3, 2} | none     (stride, size)
//   of its six cuts the first three are 'y'; the first two are no axes:    AxesSplitAt(t, 0, 3)
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

// Which of these dimensions are cut by an axis, or a part of one, that cuts one of `other_dims`, too:
// 'x' is one and the same with 'x', not with 'x':(1)2. None unless both are in named form, or both
// in tile form with grids of the same axes.
Dims CutByAxesOf(const Tiling& tiling, Ints dims, const Tiling& other, Ints other_dims);

// Of a tiling in named form: whether the first of the axes that cut `dim`, the last of them perhaps
// in part, make `major` cuts.
bool AxesSplitAt(const Tiling& tiling, int64_t dim, int64_t major);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_MESH_AXES_H_
