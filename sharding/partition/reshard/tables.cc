#include "tessera/sharding/partition/reshard/tables.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/device_text.h"

namespace tessera::sharding::partition {
namespace {

// What a table depends on: its kind, the scope, and some numbers.
enum class Kind : uint64_t { kIndices, kAlong, kStarts };
std::vector<uint64_t> KeyOf(Kind kind, const DeviceGroupScope& scope, Ints numbers) {
  std::vector<uint64_t> key = {static_cast<uint64_t>(kind), static_cast<uint64_t>(scope.number()),
                               numbers.size()};
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
  std::vector<uint64_t> key = KeyOf(Kind::kIndices, scope, {dim});
  key.push_back(scope.graph().reshard_cache().NumberOf(tiling));
  return scope.graph().recipes().ListOf(
      key, [&] { return OnAllDevices(scope, IndicesAlong(tiling, dim, scope.devices())); });
}

// values[i] on each device of index i; `without` on others.
TableId TableOfIndices(Recipes& recipes, uint32_t list, const DeviceNumbers& values,
                       int32_t without) {
  absl::InlinedVector<uint64_t, 16> key = {list, static_cast<uint64_t>(without)};
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

DeviceTable TableOfNumbers(const DeviceNumbers& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return {NumbersText(numbers), *least, *most, Size(numbers)};
}

std::vector<int64_t> IndicesAlong(const Tiling& tiling, int64_t dim, int64_t devices) {
  if (tiling.dim(dim) == 1) return std::vector<int64_t>(static_cast<size_t>(devices), 0);
  std::vector<int64_t> out = tiling.grid().IndicesAlong(dim);
  out.resize(static_cast<size_t>(devices), -1);
  return out;
}

TableId TableAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim,
                   absl::FunctionRef<int64_t(int64_t)> of) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  Dims numbers = {dim};
  for (int64_t i = 0; i < tiling.dim(dim); ++i) numbers.push_back(of(i));
  std::vector<uint64_t> key = KeyOf(Kind::kAlong, scope, numbers);
  key.push_back(scope.graph().reshard_cache().NumberOf(tiling));
  return scope.graph().recipes().TableOf(key, [&] {
    const DeviceNumbers values(numbers.begin() + 1, numbers.end());
    return TableOfIndices(scope.graph().recipes(), IndicesOnAllDevices(scope, tiling, dim), values,
                          0);
  });
}

TableId TableOfChosen(const DeviceGroupScope& scope, absl::FunctionRef<bool(int64_t)> is_chosen) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  DeviceNumbers out;
  for (int64_t device : scope.NumbersOfAllDevices()) out.push_back(is_chosen(device) ? 1 : 0);
  return scope.graph().recipes().Table(TableOfNumbers(out));
}

TableId TableOfFirst(const DeviceGroupScope& scope, const Tiling& tiling, Ints dims) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  std::vector<bool> is_first(static_cast<size_t>(scope.devices()), true);
  for (int64_t dim : dims) {
    const std::vector<int64_t> indices = IndicesAlong(tiling, dim, scope.devices());
    for (int64_t i = 0; i < scope.devices(); ++i) {
      if (At(indices, i) != 0) is_first[static_cast<size_t>(i)] = false;
    }
  }
  return TableOfChosen(scope, [&](int64_t i) { return is_first[static_cast<size_t>(i)]; });
}

RecipeId StartsOfTiles(const DeviceGroupScope& scope, const Tiling& fine, const Tiling& coarse,
                       const Shape& part, const Shape& from) {
  const auto starts_along = [&](int64_t dim) {
    const int64_t fine_size = part.dim(dim), coarse_size = from.dim(dim);
    if (fine_size == coarse_size) return Recipes::kZeros;
    std::vector<uint64_t> key = KeyOf(Kind::kStarts, scope, {dim, fine_size, coarse_size});
    key.push_back(scope.graph().reshard_cache().NumberOf(fine));
    key.push_back(scope.graph().reshard_cache().NumberOf(coarse));
    return scope.graph().recipes().TableOf(key, [&] {
      Recipes& recipes = scope.graph().recipes();
      const uint32_t list = IndicesOnAllDevices(scope, fine, dim);
      const auto start_of = [&](int64_t index) { return static_cast<int32_t>(index * fine_size); };
      DeviceNumbers starts;
      if (coarse.dim(dim) == 1) {
        for (int64_t i = 0; i < fine.dim(dim); ++i) starts.push_back(start_of(i));
        return TableOfIndices(recipes, list, starts, start_of(-1));
      }
      const uint32_t coarse_list = IndicesOnAllDevices(scope, coarse, dim);
      const DeviceNumbers& coarse_at = recipes.list(coarse_list);
      starts = recipes.list(list);
      for (size_t i = 0; i < starts.size(); ++i) {
        starts[i] = static_cast<int32_t>(starts[i] * fine_size - coarse_at[i] * coarse_size);
      }
      return recipes.Table(TableOfNumbers(starts));
    });
  };
  return scope.graph().Keep([&] {
    recipe::DynamicSlice out;
    for (int64_t dim = 0; dim < part.rank(); ++dim) out.starts.push_back(starts_along(dim));
    return out;
  });
}

RecipeId StartsAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim, int64_t rank,
                     absl::FunctionRef<int64_t(int64_t)> start) {
  return scope.graph().Keep([&] {
    recipe::DynamicSlice out;
    out.starts.resize(static_cast<size_t>(rank), Recipes::kZeros);
    At(out.starts, dim) = TableAlong(scope, tiling, dim, start);
    return out;
  });
}

}  // namespace tessera::sharding::partition
