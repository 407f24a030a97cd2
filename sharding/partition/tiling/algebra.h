// Tilings of related arrays: transposed, with dimensions removed, seen through a reshape, merged.
//
//   // [2,4]<=[8]
//   ReplicateOn(t, {1});                  // [2,1,4]<=[8] replicated
//   Transpose(t, {1, 0});                 // [4,2]<=[2,4]T(1,0)
//   ThroughReshape({8, 16}, {128}, u);    // nothing if the shards do not pass through
//
// XLA: hlo_sharding_util.h. Tested by algebra_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_ALGEBRA_H_
#define TESSERA_SHARDING_PARTITION_TILING_ALGEBRA_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

// New dimension i is old dimension order[i]; subgroups may be left out of `order`.
Tiling Transpose(const Tiling& tiling, Ints order);
// The shards of these data dimensions become replicas.
Tiling ReplicateOn(const Tiling& tiling, Ints dims);
Tiling ReplicateOnAllExcept(const Tiling& tiling, Ints dims);
// Only subgroups other than replicas stay.
Tiling ReplicateData(const Tiling& tiling);
// Removes these dimensions, which must be unsharded.
Tiling RemoveDims(const Tiling& tiling, Ints dims);
// The tiles along `dims` in reverse order.
Tiling Reverse(const Tiling& tiling, Ints dims);
// The shards of `source` become the minor part of those of `target`.
Tiling MoveCuts(const Tiling& tiling, int64_t source, int64_t target);
// The first dimension that `may` take the shards of `source` without padding.
std::optional<int64_t> TargetForCuts(const layout::Shape& shape, const Tiling& tiling,
                                     int64_t source,
                                     const std::function<bool(int64_t)>& may = nullptr);
// Dimension `dim` of n shards becomes two, of `major` and n / major shards; and the inverse.
Tiling SplitDim(const Tiling& tiling, int64_t dim, int64_t major);
Tiling MergeDim(const Tiling& tiling, int64_t dim);

// The tiling carried to another array, whose dimension from_to[i] is dimension i here (-1: none).
// Nothing if a sharded dimension has no counterpart.
std::optional<Tiling> TransposeCollapsed(const Tiling& tiling, Ints from_to, Ints to_from);
// Keeps only the shards of `source` dims, as shards of the `target` dims of an array of that rank.
// A named tiling stays named.
Tiling PropagateAlongDims(const Tiling& tiling, Ints source, Ints target, int64_t rank);

// Every tile of `fine` lies inside the tile that `coarse` puts on the same device.
bool Refines(const layout::Shape& shape, const Tiling& fine, const Tiling& coarse);
// `a` has more shards than `b`.
bool IsMoreSpecific(const Tiling& a, const Tiling& b);

// Adds the shards of `a` to `into`, if the devices allow it. False: `into` has its own shards. Beside
// a sharded `a` of another form or mesh a named `into` becomes V1, even then.
bool MergeIfCompatible(const Tiling& a, int64_t least_tiles, Tiling* into);
bool MergeIfCompatible(const Tiling& a, Tiling* into);
// The same, or `into` is the more specific one.
bool MergeOrPrefer(const Tiling& a, Tiling* into);

// What a reshape makes of the tiling; nothing if the shards cannot be reshaped alone.
std::optional<Tiling> ThroughReshape(const layout::Shape& from, const layout::Shape& to,
                                     const Tiling& tiling);
// The part that passes through; the rest is replicated.
Tiling PartlyThroughReshape(const layout::Shape& from, const layout::Shape& to,
                            const Tiling& tiling);

// --- Groups of devices of collectives ------------------------------------------------------------

// A grid of two dimensions, whose rows are the groups: a few steps on the axes of an iota.
// The devices that differ in these dimensions of the grid only, in the order of the shards.
TileAssignment GroupsOver(const Tiling& tiling, Ints dims);
// The minor sizes[i] parts of dimension dims[i], in the order of `dims`.
TileAssignment GroupsAcross(const Tiling& tiling, Ints dims, Ints sizes);
// Whether the numbers have one stride along each dimension: an iota, or a list of devices that is a
// transposed one. XLA makes a mesh without a list of such a list.
bool IsPermutedIota(const TileAssignment& grid);
// Sorts groups by the mesh position of their first device. Groups of a list of devices that is no
// permuted iota are in the order of the list, and returned unchanged.
TileAssignment InMeshOrder(const Tiling& tiling, const TileAssignment& groups);
// The groups, listed.
using DeviceLists = std::vector<std::vector<int64_t>>;
DeviceLists RowsOf(const TileAssignment& groups);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_ALGEBRA_H_
