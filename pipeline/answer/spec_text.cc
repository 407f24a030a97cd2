#include "tessera/pipeline/answer/spec_text.h"

#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::pipeline {

std::string SpecText(const sharding::TensorSharding& sharding, const sharding::MeshTable& meshes) {
  const auto spec = ToPartitionSpec(sharding, meshes.mesh(sharding.mesh_id()));
  return spec.has_value() ? spec->ToString() : PrintSharding(sharding, meshes);
}

}  // namespace tessera::pipeline
