// Tables of recipes: a number for each device of the module, and how a device finds it.
//
//   // f32[16,8] sharded [4,1]<=[4]: rows start at 0, 4, 8, 12
//   StartsOfTiles(scope, tiling, f32[4,8])                     // a recipe::DynamicSlice
//
// In a scope of groups a device looks up its id in its group, and then the number of that id.
// A device of a scope for which a tiling has no tile takes no part in an exchange: its number is 0.
// If the graph keeps no recipes, no table is made: a recipe is Recipes::kUnknown, a table kZeros.
// Cost: linear in the devices for new arguments; equal ones are looked up by the words of their tilings.
// XLA: MakePartitionOffsets, MakeTiledPartitionOrdinals, PerGroupSliceFromReplicated.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_TABLES_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tessera/sharding/partition/reshard/computed_tables.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// The index along `dim` of the tile of each of the first `devices` devices; -1 for one without a tile.
std::vector<int64_t> IndicesAlong(const Tiling& tiling, int64_t dim, int64_t devices);

// For each device of the module of(i), where i is the index of its tile along `dim`. `of` is called once for each
// index along `dim`.
TableId TableAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim,
                   absl::FunctionRef<int64_t(int64_t)> of);
// For each device, where its tile starts along `dim` if each tile has this size.
TableId StartAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim, int64_t size);
// A u32: of each device, its number in its group; the partition id in the scope of all devices.
TableId IdIn(const DeviceGroupScope& scope);
// A u32: of each device, the number of its tile along these dimensions together. It has no list where that is its id.
TableId IdAlong(const DeviceGroupScope& scope, const Tiling& tiling, Ints dims);
// Where the tile of each device stands along `dim`.
TableId OrdinalsAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim);

// The dynamic-slice that takes the tile of `tiling`, of shape `part`, from the whole array. Replicas of a tile are a
// group, which looks up its number first.
RecipeId StartsOfTiles(const DeviceGroupScope& scope, const Tiling& tiling, const Shape& part);
// The same from the tile of `coarse`, of shape `from`.
RecipeId StartsInTiles(const DeviceGroupScope& scope, const Tiling& fine, const Tiling& coarse,
                       const Shape& part, const Shape& from);
// A dynamic-slice along one dimension.
RecipeId StartsAlong(Graph& graph, int64_t dim, int64_t rank, TableId start);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_TABLES_H_
