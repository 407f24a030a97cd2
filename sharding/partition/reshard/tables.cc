#include "tessera/sharding/partition/reshard/tables.h"

#include <utility>

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
std::vector<int64_t> OnAllDevices(const DeviceGroupScope& scope, std::vector<int64_t> numbers) {
  if (scope.number() == ScopeNumbers::kWhole) return numbers;
  std::vector<int64_t> out;
  const std::vector<int64_t>& devices = scope.NumbersOfAllDevices();
  out.reserve(devices.size());
  for (const int64_t device : devices) out.push_back(At(numbers, device));
  return out;
}

// The index along the dimension of each device of the module, listed once; -1 without a tile.
const std::vector<int64_t>& IndicesOnAllDevices(const DeviceGroupScope& scope, const Tiling& tiling,
                                                int64_t dim) {
  std::vector<uint64_t> key = KeyOf(Kind::kIndices, scope, {dim});
  key.push_back(scope.graph().reshard_cache().NumberOf(tiling));
  return scope.graph().recipes().ListOf(
      key, [&] { return OnAllDevices(scope, IndicesAlong(tiling, dim, scope.devices())); });
}

}  // namespace

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
    std::vector<int64_t> out = IndicesOnAllDevices(scope, tiling, dim);
    const int64_t* const of_index = numbers.data() + 1;
    for (int64_t& index : out) index = index < 0 ? 0 : of_index[index];
    return out;
  });
}

TableId TableOfChosen(const DeviceGroupScope& scope, absl::FunctionRef<bool(int64_t)> is_chosen) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  std::vector<int64_t> out;
  for (int64_t device : scope.NumbersOfAllDevices()) out.push_back(is_chosen(device) ? 1 : 0);
  return scope.graph().recipes().Table(std::move(out));
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
      std::vector<int64_t> starts = IndicesOnAllDevices(scope, fine, dim);
      for (int64_t& start : starts) start *= fine_size;
      if (coarse.dim(dim) > 1) {
        const std::vector<int64_t>& coarse_at = IndicesOnAllDevices(scope, coarse, dim);
        for (int64_t i = 0; i < Size(starts); ++i) At(starts, i) -= At(coarse_at, i) * coarse_size;
      }
      return starts;
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
