// Groups found from device positions: among replicas, or where an index is constant.
// XLA: hlo_sharding_util, GroupShardingOnReplicatedDim and FindMatchingPartitionedDimsForGrouping.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

// Prime factors as the reference finds them: a prime that remains above the square root is lost.
Dims SomePrimeFactors(int64_t n) {
  Dims out;
  while (n % 2 == 0) {
    out.push_back(2);
    n /= 2;
  }
  for (int64_t i = 3; i * i <= n; i += 2) {
    for (; n % i == 0; n /= i) out.push_back(i);
  }
  return out;
}

// The grid with `wanted` shards of the dimensions `borrow` moved to the replicas, devices in order.
std::optional<TileAssignment> Borrowed(const Tiling& tiling, int64_t wanted, Ints borrow) {
  Dims dims(tiling.dims().begin(), tiling.dims().end());
  if (!tiling.LastIsReplicated()) dims.push_back(1);
  for (int64_t dim : borrow) {
    for (int64_t factor : SomePrimeFactors(tiling.dim(dim))) {
      if (wanted % factor != 0) continue;
      At(dims, dim) /= factor;
      dims.back() *= factor;
      wanted /= factor;
      if (wanted == 1) return TileAssignment::Plain(dims);
    }
  }
  return std::nullopt;
}

// A number for each device, equal where the indices along `dims` are.
std::vector<int64_t> NumbersAlong(const Tiling& tiling, Ints dims) {
  // Axis by axis from the minor one on, as TileAssignment::Devices().
  std::vector<int64_t> by_place(static_cast<size_t>(tiling.num_devices()));
  int64_t run = 1;
  for (int64_t i = tiling.num_dims(); i-- > 0;) {
    const int64_t step = Contains(dims, i) ? run : 0, end = run * tiling.dim(i);
    for (int64_t at = run; at < end; ++at) At(by_place, at) = At(by_place, at - run) + step;
    run = end;
  }
  const std::vector<int64_t> devices = tiling.grid().Devices();
  std::vector<int64_t> out(devices.size());
  for (int64_t i = 0; i < Size(devices); ++i) At(out, At(devices, i)) = At(by_place, i);
  return out;
}

// The tile of each device.
std::vector<int64_t> TileOfDevice(const Tiling& tiling) {
  return tiling.grid().Reshape({tiling.tiles(), tiling.replicas()}).IndicesAlong(0);
}

}  // namespace

Grouping GroupOnReplicas(const Tiling& tiling, int64_t groups, int64_t devices, int64_t data_rank,
                         Ints borrow) {
  if (tiling.LastIsReplicated() && tiling.replicas() % groups == 0) {
    return GroupOn(tiling, {tiling.num_dims() - 1}, {tiling.replicas() / groups});
  }
  if (tiling.IsTiled()) {
    const int64_t replicas = tiling.LastIsReplicated() ? tiling.replicas() : 1;
    int64_t most = replicas;
    for (int64_t dim : borrow) most *= tiling.dim(dim);
    if (most % groups == 0 && groups % replicas == 0) {
      if (const auto grid = Borrowed(tiling, groups / replicas, borrow)) {
        const Tiling partial = Tiling::Partial(*grid);
        if (!partial.IsReplicated()) return GroupOn(partial, {partial.num_dims() - 1});
      }
    }
  }
  return ReplicatedGroups(groups, devices, data_rank);
}

std::optional<Grouping> GroupReplicasAs(const Tiling& tiling, int64_t shards,
                                        const DeviceGroups& devices) {
  if (!tiling.LastIsReplicated() || tiling.replicas() % devices.groups() != 0) return std::nullopt;
  const std::vector<int64_t> tile_of = TileOfDevice(tiling);
  Dims dims(tiling.dims().begin(), tiling.dims().end());
  dims.back() /= devices.groups();
  // Of each group the members of tile after tile, which must be the same in all.
  std::vector<int64_t> first, members(static_cast<size_t>(Product(dims)));
  std::vector<int64_t> used(static_cast<size_t>(tiling.tiles()));
  auto device = devices.devices().begin();
  for (int64_t g = 0; g < devices.groups(); ++g) {
    std::fill(used.begin(), used.end(), 0);
    for (int64_t i = 0; i < devices.size(); ++i) {
      const int64_t tile = At(tile_of, *device++);
      if (At(used, tile) == shards) return std::nullopt;
      At(members, tile * dims.back() + At(used, tile)++) = i;
    }
    if (g == 0) first = members;
    if (members != first) return std::nullopt;
  }
  const auto grid = TileAssignment::List(dims, std::move(first));
  if (!grid.ok()) return std::nullopt;
  Grouping out;
  out.devices = devices;
  out.dims = {tiling.num_dims() - 1};
  out.sizes = {tiling.replicas() / shards};
  out.data_rank = tiling.num_dims() - 1;
  out.inner = Tiling::Partial(*grid);
  return out;
}

std::optional<Dims> DimsOfGroups(const Tiling& tiling, const DeviceGroups& devices) {
  if (!tiling.IsTiled() || devices.groups() < 2) return std::nullopt;
  if (tiling.num_devices() != devices.num_devices()) return std::nullopt;
  Dims dims;
  if (devices.size() < 2) {
    for (int64_t i = 0; i < tiling.num_dims(); ++i) {
      if (tiling.dim(i) > 1) dims.push_back(i);
    }
    return dims;
  }
  const Dims first = tiling.grid().IndexOf(devices.device(0, 0));
  const Dims second = tiling.grid().IndexOf(devices.device(0, 1));
  int64_t groups = 1;
  for (int64_t i = 0; i < tiling.num_dims(); ++i) {
    if (At(first, i) != At(second, i)) continue;
    dims.push_back(i);
    groups *= tiling.dim(i);
  }
  if (groups != devices.groups()) return std::nullopt;
  const std::vector<int64_t> numbers = NumbersAlong(tiling, dims);
  const std::vector<int64_t>& members = devices.devices();
  for (int64_t i = 0; i < Size(members); ++i) {
    const int64_t in_group = i % devices.size();
    if (At(numbers, At(members, i)) != At(numbers, At(members, i - in_group))) return std::nullopt;
  }
  return dims;
}

}  // namespace tessera::sharding::partition
