#include "tessera/sharding/partition/reshard/tables.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/device_text.h"

namespace tessera::sharding::partition {
namespace {

using Key = absl::InlinedVector<uint64_t, 16>;

// What a table depends on: its kind, the scope, the tiling, and some numbers.
Key KeyOf(TableKind kind, const DeviceGroupScope& scope, const Tiling& tiling, Ints numbers) {
  Key key = {static_cast<uint64_t>(kind), static_cast<uint64_t>(scope.number()),
             scope.graph().reshard_cache().NumberOf(tiling)};
  key.insert(key.end(), numbers.begin(), numbers.end());
  return key;
}

// The numbers of devices of the scope, for each device of the module.
DeviceNumbers OnAllDevices(const DeviceGroupScope& scope, const std::vector<int64_t>& numbers) {
  if (scope.number() == ScopeNumbers::kWhole) return {numbers.begin(), numbers.end()};
  const std::vector<int64_t>& devices = scope.NumbersOfAllDevices();
  DeviceNumbers out(devices.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int32_t>(At(numbers, devices[i]));
  return out;
}

// The list of the index along the dimension of each device of the module; -1 without a tile.
uint32_t IndicesOnAllDevices(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim) {
  return scope.graph().recipes().ListOf(KeyOf(TableKind::kIndices, scope, tiling, {dim}), [&] {
    return OnAllDevices(scope, IndicesAlong(tiling, dim, scope.devices()));
  });
}

// values[i] on each device of index i; `without` on others.
TableId TableOfIndices(Recipes& recipes, uint32_t list, const DeviceNumbers& values,
                       int32_t without) {
  Key key = {list, static_cast<uint64_t>(without)};
  key.insert(key.end(), values.begin(), values.end());
  return recipes.TableOfList(key, [&] {
    const DeviceNumbers& indices = recipes.list(list);
    std::vector<uint8_t> is_found(values.size() + 1);  // that of -1 first
    for (const int32_t index : indices) At(is_found, index + 1) = 1;
    DeviceNumbers found;
    for (size_t i = 0; i < is_found.size(); ++i) {
      if (is_found[i] != 0) found.push_back(i == 0 ? without : values[i - 1]);
    }
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    return recipes.Table({NumbersText(indices, values, without), *least, *most, Size(indices)});
  });
}

}  // namespace

std::vector<int64_t> IndicesAlong(const Tiling& tiling, int64_t dim, int64_t devices) {
  if (tiling.dim(dim) == 1) return std::vector<int64_t>(static_cast<size_t>(devices), 0);
  std::vector<int64_t> out = tiling.grid().IndicesAlong(dim);
  out.resize(static_cast<size_t>(devices), -1);
  return out;
}

namespace {

// values[i] on each device of index i along `dim`; 0 on one without a tile.
TableId TableOfValues(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim,
                      const DeviceNumbers& values) {
  Recipes& recipes = scope.graph().recipes();
  if (scope.parent() == nullptr || values.size() == 1) {
    return TableOfIndices(recipes, IndicesOnAllDevices(scope, tiling, dim), values, 0);
  }
  DeviceNumbers list;
  for (const int64_t index : IndicesAlong(tiling, dim, scope.devices())) {
    list.push_back(index < 0 ? 0 : At(values, index));
  }
  return ElementAt(recipes, list, IdIn(scope));
}

}  // namespace

TableId TableAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim,
                   absl::FunctionRef<int64_t(int64_t)> of) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  Dims numbers = {dim};
  for (int64_t i = 0; i < tiling.dim(dim); ++i) numbers.push_back(of(i));
  return scope.graph().recipes().TableOf(KeyOf(TableKind::kAlong, scope, tiling, numbers), [&] {
    return TableOfValues(scope, tiling, dim, {numbers.begin() + 1, numbers.end()});
  });
}

TableId StartAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim, int64_t size) {
  if (!scope.graph().recipes().are_kept() || tiling.dim(dim) == 1) return Recipes::kZeros;
  return scope.graph().recipes().TableOf(KeyOf(TableKind::kStart, scope, tiling, {dim, size}), [&] {
    DeviceNumbers values(static_cast<size_t>(tiling.dim(dim)));
    for (int64_t i = 0; i < tiling.dim(dim); ++i) At(values, i) = static_cast<int32_t>(i * size);
    return TableOfValues(scope, tiling, dim, values);
  });
}

TableId OrdinalsAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim) {
  return StartAlong(scope, tiling, dim, 1);
}

TableId IdIn(const DeviceGroupScope& scope) {
  if (scope.parent() == nullptr || !scope.graph().recipes().are_kept()) return kOwnId;
  return scope.KnownId([&] {
    const std::vector<int64_t> numbers = scope.NumbersOfParent();
    return ElementAt(scope.graph().recipes(), {numbers.begin(), numbers.end()},
                     IdIn(*scope.parent()), /*is_id=*/true);
  });
}

namespace {

// Of each device of the scope, the number of its tile among those along these dimensions; 0 without one.
DeviceNumbers NumbersAlong(const DeviceGroupScope& scope, const Tiling& tiling, Ints dims) {
  DeviceNumbers numbers(static_cast<size_t>(scope.devices()), 0);
  for (int64_t dim : dims) {
    const int64_t tiles = tiling.dim(dim);
    if (tiles == 1) continue;
    const std::vector<int64_t> indices = IndicesAlong(tiling, dim, scope.devices());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t index = std::max<int64_t>(0, indices[i]);
      numbers[i] = static_cast<int32_t>(numbers[i] * tiles + index);
    }
  }
  return numbers;
}

// The group of replicas of each device.
TableId GroupOfReplicas(const DeviceGroupScope& scope, const Tiling& tiling, Ints dims) {
  Recipes& recipes = scope.graph().recipes();
  return recipes.TableOf(KeyOf(TableKind::kGroup, scope, tiling, {}), [&] {
    return ElementAt(recipes, NumbersAlong(scope, tiling, dims), IdIn(scope), /*is_id=*/true);
  });
}

}  // namespace

TableId IdAlong(const DeviceGroupScope& scope, const Tiling& tiling, Ints dims) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  const DeviceNumbers numbers = NumbersAlong(scope, tiling, dims);
  bool is_id = true;
  for (int64_t i = 0; i < Size(numbers); ++i) is_id = is_id && At(numbers, i) == i;
  return is_id ? IdIn(scope)
               : ElementAt(scope.graph().recipes(), numbers, IdIn(scope), /*is_id=*/true);
}

namespace {

// The starts of tiles of this shape along each dimension.
std::vector<TableId> Starts(const DeviceGroupScope& scope, const Tiling& tiling,
                            const Shape& part) {
  std::vector<TableId> out(static_cast<size_t>(part.rank()));
  for (int64_t dim = 0; dim < part.rank(); ++dim) {
    At(out, dim) = StartAlong(scope, tiling, dim, part.dim(dim));
  }
  return out;
}

// For each group of replicas, where its tile starts along `dim`: tiles are numbered with `minor` for each index.
TableId StartOfGroup(Recipes& recipes, const Tiling& tiling, int64_t dim, int64_t minor,
                     int64_t size, TableId group) {
  const int64_t cuts = tiling.dim(dim);
  DeviceNumbers list(static_cast<size_t>(tiling.tiles()));
  for (int64_t g = 0; g < Size(list); ++g) {
    At(list, g) = static_cast<int32_t>(g / minor % cuts * size);
  }
  return ElementAt(recipes, list, group);
}

}  // namespace

RecipeId StartsOfTiles(const DeviceGroupScope& scope, const Tiling& tiling, const Shape& part) {
  return scope.graph().Keep([&] {
    if (!tiling.LastIsReplicated()) return recipe::DynamicSlice{Starts(scope, tiling, part)};
    Recipes& recipes = scope.graph().recipes();
    const Dims all = Iota(part.rank());
    const TableId group = GroupOfReplicas(scope, tiling, all);
    recipe::DynamicSlice out{std::vector<TableId>(all.size(), Recipes::kZeros)};
    int64_t minor = tiling.tiles();
    for (int64_t dim : all) {
      if (tiling.dim(dim) == 1) continue;
      minor /= tiling.dim(dim);
      const int64_t size = part.dim(dim);
      At(out.starts, dim) =
          recipes.TableOf(KeyOf(TableKind::kStartOfGroup, scope, tiling, {dim, size}),
                          [&] { return StartOfGroup(recipes, tiling, dim, minor, size, group); });
    }
    return out;
  });
}

RecipeId StartsInTiles(const DeviceGroupScope& scope, const Tiling& fine, const Tiling& coarse,
                       const Shape& part, const Shape& from) {
  return scope.graph().Keep([&] {
    recipe::DynamicSlice out = {Starts(scope, fine, part)};
    const std::vector<TableId> begins = Starts(scope, coarse, from);
    for (size_t dim = 0; dim < begins.size(); ++dim) {
      out.starts[dim] =
          Computed(scope.graph().recipes(), Opcode::kSubtract, out.starts[dim], begins[dim]);
    }
    return out;
  });
}

RecipeId StartsAlong(Graph& graph, int64_t dim, int64_t rank, TableId start) {
  return graph.Keep([&] {
    recipe::DynamicSlice out;
    out.starts.resize(static_cast<size_t>(rank), Recipes::kZeros);
    At(out.starts, dim) = start;
    return out;
  });
}

}  // namespace tessera::sharding::partition
