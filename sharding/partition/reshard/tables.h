// Tables of recipes: a number for each device of the module.
//
//   // f32[16,8] sharded [4,1]<=[4]: rows start at 0, 4, 8, 12
//   StartsOfTiles(scope, tiling, Tiling(), f32[4,8], f32[16,8])     // a recipe::DynamicSlice
//
// A device of a scope for which a tiling has no tile takes no part in an exchange: its number is 0.
// If the graph keeps no recipes, no table is made: a recipe is Recipes::kUnknown, a table kZeros.
// Cost: linear in the devices for new arguments; equal ones are looked up by the words of their tilings.
// XLA: MakePartitionOffsets, MakeTiledPartitionOrdinals.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_TABLES_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// As the emitter reads them; there is at least one.
DeviceTable TableOfNumbers(const DeviceNumbers& numbers);
// The index along `dim` of the tile of each of the first `devices` devices; -1 for one without a tile.
std::vector<int64_t> IndicesAlong(const Tiling& tiling, int64_t dim, int64_t devices);

// For each device of the module of(i), where i is the index of its tile along `dim`. `of` is called once for each
// index along `dim`.
TableId TableAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim,
                   absl::FunctionRef<int64_t(int64_t)> of);
// 1 on the devices of the scope that `is_chosen`, by their number in it; 0 on the others.
TableId TableOfChosen(const DeviceGroupScope& scope, absl::FunctionRef<bool(int64_t)> is_chosen);
// 1 on the devices whose tile is the first one along all these dimensions.
TableId TableOfFirst(const DeviceGroupScope& scope, const Tiling& tiling, Ints dims);

// The dynamic-slice that takes the tile of `fine`, of shape `part`, from the tile of `coarse`, of
// shape `from`; both are on the devices of the scope.
RecipeId StartsOfTiles(const DeviceGroupScope& scope, const Tiling& fine, const Tiling& coarse,
                       const Shape& part, const Shape& from);
// A dynamic-slice along one dimension.
RecipeId StartsAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim, int64_t rank,
                     absl::FunctionRef<int64_t(int64_t)> start);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_TABLES_H_
