// Between tensor shardings (axes of a mesh) and the HLO forms.
//
//   // mesh ["x"=8, "y"=4]
//   ToTiledSharding(sharding, mesh, {});
//       // [{"y"}, {"x":(2)2}] -> {devices=[4,2,4]<=[2,2,2,4]T(3,1,0,2) last_tile_dim_replicate}
//   ToNamedSharding(sharding, mesh, {});   // {mesh['x'=8,'y'=4], [{'y'}, {'x':(2)2}]}
//
//   AnalyzeTiling(*ParseHloSharding("{devices=[4]<=[2,2]T(1,0)}"));
//       // a mesh of sizes 2, 2; the dimension is sharded along axis 1, then axis 0

#ifndef TESSERA_SHARDING_HLO_CONVERSIONS_H_
#define TESSERA_SHARDING_HLO_CONVERSIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

// --- to HLO --------------------------------------------------------------------------------------

// V2 (V1 when the mesh has a device order). `manual_axes`: indices of the axes that an enclosing
// shard_map is manual on; in a closed sharding none of them may occur in `sharding`. Open or
// closed, priorities and replicated axes are lost. An empty mesh gives {replicated}, a maximal one
// {maximal device=N}, as many manual axes as the mesh has {manual}, a mesh of one device
// {replicated}.
HloSharding ToTiledSharding(const TensorSharding& sharding, const Mesh& mesh,
                            absl::Span<const int> manual_axes = {});
// V3. Dimensions keep open or closed; a sharding that says nothing becomes {mesh[], replicated},
// one of a mesh with device ids only unless `keep_device_ids`, one on a maximal mesh
// {single_device[device_id=N]}.
HloSharding ToNamedSharding(const TensorSharding& sharding, const Mesh& mesh,
                            absl::Span<const int> manual_axes = {}, bool keep_device_ids = true);

// V3 -> V2; any other kind as it is, a tuple element by element.
HloSharding ToTiledSharding(const HloSharding& sharding);

// --- from HLO ------------------------------------------------------------------------------------

// A grid of devices, seen as axes of a mesh made up for it.
struct TileAxes {
  std::vector<int64_t> sizes;  // of the axes, major to minor
  // Per dimension of the grid, subgroups included: the axes that split it, major to minor.
  std::vector<std::vector<int>> dims;
};

// InvalidArgument when the grid is no mesh with its axes permuted (the sizes do not refine each
// other), or is a list other than 0, 1, 2, ..
absl::StatusOr<TileAxes> AnalyzeTiling(const HloSharding& sharding);

// V2 -> V3 with axes named axis_0, axis_1, ..; InvalidArgument for manual, unreduced, unknown, and
// for a list of devices that has gaps.
absl::StatusOr<HloSharding> TiledToNamedSharding(const HloSharding& sharding);

// A V3 or maximal leaf as a tensor sharding; its mesh is added to `meshes` as an inlined one.
// Manual axes are dropped. InvalidArgument for other kinds.
absl::StatusOr<TensorSharding> NamedToTensorSharding(const HloSharding& sharding,
                                                     MeshTable& meshes);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_HLO_CONVERSIONS_H_
