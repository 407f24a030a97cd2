// The mesh on which an op is computed, when meshes may differ in the order of their devices.

#ifndef TESSERA_SHARDING_RESHARD_AGREE_OP_MESH_H_
#define TESSERA_SHARDING_RESHARD_AGREE_OP_MESH_H_

#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::reshard {

// The mesh that most of the tensors use (null: a tensor without a sharding), the first one of
// several. None if there is none, if two have different axes, or if it is a single device. Empty
// meshes do not count.
std::optional<MeshId> OpMesh(absl::Span<const TensorSharding* const> shardings,
                             const MeshTable& meshes);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_OP_MESH_H_
