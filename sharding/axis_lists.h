// Lists of axis references: the axes of one dimension (major to minor) and sets of axes.
//
//   // mesh ["a"=8, "b"=2]
//   AxisList axes = {AxisRef::Sub(0, 1, 2)};
//   AddOrMerge(axes, AxisRef::Sub(0, 2, 4), mesh);   // axes: ["a"], for the two parts make it up
//   ShardedSize(axes, mesh);                         // 8
//
// Costs: all operations are quadratic at worst in the lengths, which are the numbers of axes.

#ifndef TESSERA_SHARDING_AXIS_LISTS_H_
#define TESSERA_SHARDING_AXIS_LISTS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

// Product of the sizes: 1 for an empty list.
int64_t ShardedSize(absl::Span<const AxisRef> axes, const Mesh& mesh);

// Appends `axis`, merged with the last one if these are consecutive sub-axes.
void AddOrMerge(AxisList& axes, AxisRef axis, const Mesh& mesh);

// In mesh order, consecutive sub-axes merged.
AxisList SortAndMerge(absl::Span<const AxisRef> axes, const Mesh& mesh);

// The element of `sorted` (by either order, without overlaps among themselves) that overlaps
// `axis`; the smaller one when several do. Null when none does.
const AxisRef* FirstOverlapping(AxisRef axis, absl::Span<const AxisRef> sorted,
                                const AxisNameLess& less);

// Some element of `axes` overlaps `axis`, or one of the others.
bool OverlapsAny(AxisRef axis, absl::Span<const AxisRef> axes);
bool OverlapsAny(absl::Span<const AxisRef> others, absl::Span<const AxisRef> axes);

// Cuts `axes` before the first overlap with anything in `others`: the prefix of the overlapping
// axis that is free stays, everything after it goes. Returns whether anything changed.
//   ["b", "a"] against ["a":(2)2] -> ["b", "a":(1)2]
bool Truncate(AxisList& axes, absl::Span<const AxisRef> others);

// `a` is the major part of `b` and not all of it: ["a", "b":(1)2] is one of ["a", "b"].
bool IsStrictPrefixOf(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b);

// The axes that `a` covers and `b` does not, in the order of `a`; nothing is merged.
AxisList SetDifference(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b, const Mesh& mesh);

// Appends all of `minor`; only its first axis is tried for a merge.
void AppendMinor(AxisList& axes, absl::Span<const AxisRef> minor, const Mesh& mesh);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_AXIS_LISTS_H_
