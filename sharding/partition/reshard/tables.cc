#include "tessera/sharding/partition/reshard/tables.h"

#include <utility>

namespace tessera::sharding::partition {
std::vector<int64_t> IndicesAlong(const Tiling& tiling, int64_t dim, int64_t devices) {
  if (tiling.dim(dim) == 1) return std::vector<int64_t>(static_cast<size_t>(devices), 0);
  std::vector<int64_t> out(static_cast<size_t>(devices), -1);
  const std::vector<int64_t> order = tiling.grid().Devices();
  const int64_t stride = Product(tiling.dims().subspan(static_cast<size_t>(dim) + 1));
  for (int64_t i = 0; i < Size(order); ++i) {
    if (At(order, i) < devices) At(out, At(order, i)) = i / stride % tiling.dim(dim);
  }
  return out;
}

TableId TableAlong(const DeviceGroupScope& scope, const Tiling& tiling, int64_t dim,
                   absl::FunctionRef<int64_t(int64_t)> of) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  const std::vector<int64_t> indices = IndicesAlong(tiling, dim, scope.devices());
  std::vector<int64_t> out;
  for (int64_t device : scope.NumbersOfAllDevices()) {
    const int64_t index = At(indices, device);
    out.push_back(index < 0 ? 0 : of(index));
  }
  return scope.graph().recipes().Table(out);
}

TableId TableOfChosen(const DeviceGroupScope& scope, absl::FunctionRef<bool(int64_t)> is_chosen) {
  if (!scope.graph().recipes().are_kept()) return Recipes::kZeros;
  std::vector<int64_t> out;
  for (int64_t device : scope.NumbersOfAllDevices()) out.push_back(is_chosen(device) ? 1 : 0);
  return scope.graph().recipes().Table(out);
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
  return scope.graph().Keep([&] {
    recipe::DynamicSlice out;
    const std::vector<int64_t> numbers = scope.NumbersOfAllDevices();
    for (int64_t dim = 0; dim < part.rank(); ++dim) {
      if (part.dim(dim) == from.dim(dim)) {
        out.starts.push_back(Recipes::kZeros);
        continue;
      }
      const std::vector<int64_t> fine_at = IndicesAlong(fine, dim, scope.devices());
      const std::vector<int64_t> coarse_at = IndicesAlong(coarse, dim, scope.devices());
      std::vector<int64_t> starts;
      for (int64_t device : numbers) {
        starts.push_back(At(fine_at, device) * part.dim(dim) -
                         At(coarse_at, device) * from.dim(dim));
      }
      out.starts.push_back(scope.graph().recipes().Table(starts));
    }
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
