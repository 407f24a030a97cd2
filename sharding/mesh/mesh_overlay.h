// One mesh in the axes of another one with the same devices in the same order.
//
//   LayMeshOver(["a"=4, "b"=2], ["x"=2, "y"=2, "z"=2]);     // a = x, y;  b = z

#ifndef TESSERA_SHARDING_MESH_MESH_OVERLAY_H_
#define TESSERA_SHARDING_MESH_MESH_OVERLAY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

// For each axis of `other` its pieces of `main`; none when they cannot be laid over each other.
std::optional<std::vector<AxisList>> LayMeshOver(const Mesh& other, const Mesh& main);

// Appends the part from `pre` on, of `size`, of an axis that consists of `pieces` of `mesh`. A part
// that ends within a piece, where that cannot be cut, is an error.
absl::Status AppendPartOfAxis(const AxisList& pieces, int64_t pre, int64_t size, const Mesh& mesh,
                              AxisList& out);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_MESH_OVERLAY_H_
