// Cutting axes into pieces so that two lists can be compared piece by piece.

#ifndef TESSERA_SHARDING_RESHARD_COLLECTIVES_AXIS_ALIGNMENT_H_
#define TESSERA_SHARDING_RESHARD_COLLECTIVES_AXIS_ALIGNMENT_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding::reshard {

// Cuts each axis of `axes` at the borders of those in `sorted` (by AxisNameLess, without overlaps).
//   [a] along [a:(2)2], a of size 8 -> [a:(1)2, a:(2)2, a:(4)2]
void Align(AxisList& axes, absl::Span<const AxisRef> sorted, const Mesh& mesh);

// Takes the axes of `minor` off the minor end of `axes`, where they may be merged with others.
void RemoveFromBack(AxisList& axes, absl::Span<const AxisRef> minor);

// The part of an axis that fits into `capacity` parts that are still free: all of it if its size
// divides the capacity, a leading part if the capacity divides its size, else nothing. `capacity`
// is used up accordingly.
struct Portion {
  AxisRef taken;
  std::optional<AxisRef> rest;
};
std::optional<Portion> TakePortion(AxisRef axis, int64_t& capacity, const Mesh& mesh);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_COLLECTIVES_AXIS_ALIGNMENT_H_
