// Taking axes out of a sharding, for the places where they cannot stay.
//
//   // mesh ["x"=4, "y"=2]
//   EvenlySharded({"x", "y"} on a dimension of 4)   -> {"x"}
//   EvenlySharded({"x"} on a dimension of 2)        -> {"x":(1)2}
//
// Every function returns the changed sharding and leaves its argument alone.

#ifndef TESSERA_SHARDING_TRIM_H_
#define TESSERA_SHARDING_TRIM_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

// How many axes of a dimension are there up to the last manual one. The rules of a shard_map put
// manual axes first; where a sharding group puts others before them, these count as well.
size_t NumManualAxes(const AxisList& axes, absl::Span<const int> manual_axes);

// Without the axes that an enclosing shard_map is manual on: those NumManualAxes of each dimension,
// and all of the replicated and unreduced lists.
TensorSharding EraseManualAxes(const TensorSharding& sharding, absl::Span<const int> manual_axes);

// The other way at the border of a shard_map. Per dimension the manual axes of `boundary` (its in-
// or out-sharding), then what `inner` has; open or closed as `inner`; replicated and unreduced axes
// of `boundary`. With a manual, [{d, ?}] and [{a, b}] repl{c} give [{a, d, ?}] repl{c}.
TensorSharding WithManualAxes(const TensorSharding& inner, const TensorSharding& boundary,
                              absl::Span<const int> manual_axes);

// Without axes of size 1. A closed dimension that becomes empty loses its priority.
TensorSharding RemoveSizeOneAxes(const TensorSharding& sharding, const Mesh& mesh);

// In each dimension only as many axes, from the major end, as divide its size; the last one may be
// cut to a sub-axis. A changed dimension loses its priority. Dynamic (negative) sizes count as
// divisible.
TensorSharding EvenlySharded(const TensorSharding& sharding, const Mesh& mesh,
                             absl::Span<const int64_t> dimensions);

// Each open dimension cut before its first sub-axis: what the borders of a program show.
TensorSharding CutSubAxesOfOpenDims(const TensorSharding& sharding);

// Sizes on one device, rounded up; dynamic (negative) ones stay.
std::vector<int64_t> LocalShape(const TensorSharding& sharding, const Mesh& mesh,
                                absl::Span<const int64_t> dimensions);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TRIM_H_
