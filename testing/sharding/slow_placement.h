// The slow, obvious answer to "which part of a dimension does this device hold": digits of the
// device's coordinate, one reference after the other. For tests.

#ifndef TESSERA_TESTING_SHARDING_SLOW_PLACEMENT_H_
#define TESSERA_TESTING_SHARDING_SLOW_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::testing {

// The digit that a reference reads off position `at` of its axis.
int64_t Digit(AxisRef ref, int64_t at, const Mesh& mesh);

// The number of the part that belongs to a mesh coordinate, for axes major to minor.
int64_t PartOf(absl::Span<const AxisRef> axes, absl::Span<const int64_t> coordinate,
               const Mesh& mesh);

// All coordinates of a mesh, row-major.
std::vector<std::vector<int64_t>> Coordinates(const Mesh& mesh);

// For every device of the mesh, by device id: the part of each dimension that it holds.
std::vector<std::vector<int64_t>> PartsByDevice(const TensorSharding& sharding, const Mesh& mesh);

}  // namespace tessera::sharding::testing

#endif  // TESSERA_TESTING_SHARDING_SLOW_PLACEMENT_H_
