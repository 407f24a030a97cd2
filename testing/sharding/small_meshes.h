// Everything small: all meshes up to a number of devices, all ways to shard over them. For tests.

#ifndef TESSERA_TESTING_SHARDING_SMALL_MESHES_H_
#define TESSERA_TESTING_SHARDING_SMALL_MESHES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::testing {

// All lists of up to `most` numbers of at least `least` (1 or 2) with product `n`.
std::vector<std::vector<int64_t>> Factorizations(int64_t n, int most, int64_t least);

// All meshes of up to `devices` devices and `axes` axes, named a, b, c, ..; size 1 included.
std::vector<Mesh> SmallMeshes(int64_t devices, int axes);

// All sub-axes of an axis, and the axis itself.
std::vector<AxisRef> AllParts(int axis, int64_t full_size);

// Calls f on every closed sharding of that rank whose references come from one cut of each axis:
// every piece in a dimension, in any order, replicated, unreduced or unused. Mergeable neighbours
// are left out, since they are not valid.
void ForEachSharding(const Mesh& mesh, int rank,
                     const std::function<void(const TensorSharding&)>& f);

}  // namespace tessera::sharding::testing

#endif  // TESSERA_TESTING_SHARDING_SMALL_MESHES_H_
