#include "tessera/testing/families/sharding/sharding_families.h"

#include "tessera/testing/families/sharding/sharding_checks.h"

namespace tessera::testing {

std::vector<Family> ShardingFamilies() {
  return {
      {"sharding_hlo_text", CheckHloText},      {"sharding_v3", CheckNamedText},
      {"sharding_sdy_text", CheckSdyText},      {"sharding_pspec", CheckPartitionSpec},
      {"sharding_frontend", CheckFrontend},     {"sharding_axes_v2", CheckAxesToTiles},
      {"sharding_v2_axes", CheckTilesToAxes},   {"sharding_boundary", CheckBoundary},
      {"sharding_equal", CheckEqual},           {"sharding_geometry", CheckGeometry},
      {"sharding_meshes", CheckMeshMerge},      {"sharding_sdy_verify", CheckVerify},
      {"sharding_subaxis", CheckAxisOperation},
  };
}

}  // namespace tessera::testing
