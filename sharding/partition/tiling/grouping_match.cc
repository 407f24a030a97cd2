// Groups found from device positions: among replicas, or where an index is constant.
// XLA: hlo_sharding_util, GroupShardingOnReplicatedDim and FindMatchingPartitionedDimsForGrouping.

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

// Index of every device in the grid.
std::vector<Dims> IndexOfDevice(const Tiling& tiling) {
  std::vector<Dims> out(static_cast<size_t>(tiling.num_devices()));
  const std::vector<int64_t> devices = tiling.grid().Devices();
  Dims index(static_cast<size_t>(tiling.num_dims()), 0);
  for (int64_t device : devices) {
    At(out, device) = index;
    for (int64_t i = tiling.num_dims(); i-- > 0;) {
      if (++At(index, i) < tiling.dim(i)) break;
      At(index, i) = 0;
    }
  }
  return out;
}

int64_t Linear(Ints index, Ints dims) {
  int64_t out = 0;
  for (int64_t i = 0; i < Size(dims); ++i) out = out * At(dims, i) + At(index, i);
  return out;
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
  const std::vector<Dims> index_of = IndexOfDevice(tiling);
  Dims dims(tiling.dims().begin(), tiling.dims().end());
  dims.back() /= devices.groups();
  std::optional<Tiling> found;
  for (int64_t g = 0; g < devices.groups(); ++g) {
    std::vector<int64_t> grid(static_cast<size_t>(Product(dims)));
    std::vector<int64_t> used(static_cast<size_t>(Product(dims) / dims.back()), 0);
    for (int64_t i = 0; i < devices.size(); ++i) {
      const Dims& index = At(index_of, devices.device(g, i));
      int64_t& position = At(used, Linear(index, Ints(dims).first(dims.size() - 1)));
      if (position == shards) return std::nullopt;
      Dims at = index;
      at.back() = position++;
      At(grid, Linear(at, dims)) = i;
    }
    const auto assignment = TileAssignment::List(dims, std::move(grid));
    if (!assignment.ok()) return std::nullopt;
    const Tiling inner = Tiling::Partial(*assignment);
    if (found.has_value() && *found != inner) return std::nullopt;
    found = inner;
  }
  Grouping out;
  out.devices = devices;
  out.dims = {tiling.num_dims() - 1};
  out.sizes = {tiling.replicas() / shards};
  out.data_rank = tiling.num_dims() - 1;
  out.inner = *found;
  return out;
}

std::optional<Dims> DimsOfGroups(const Tiling& tiling, const DeviceGroups& devices) {
  if (!tiling.IsTiled() || devices.groups() < 2) return std::nullopt;
  if (tiling.num_devices() != Size(devices.devices())) return std::nullopt;
  Dims dims;
  if (devices.size() < 2) {
    for (int64_t i = 0; i < tiling.num_dims(); ++i) {
      if (tiling.dim(i) > 1) dims.push_back(i);
    }
    return dims;
  }
  const std::vector<Dims> index_of = IndexOfDevice(tiling);
  int64_t groups = 1;
  for (int64_t i = 0; i < tiling.num_dims(); ++i) {
    if (At(At(index_of, devices.device(0, 0)), i) != At(At(index_of, devices.device(0, 1)), i)) {
      continue;
    }
    dims.push_back(i);
    groups *= tiling.dim(i);
  }
  if (groups != devices.groups()) return std::nullopt;
  for (int64_t g = 0; g < devices.groups(); ++g) {
    const Dims& first = At(index_of, devices.device(g, 0));
    for (int64_t k = 1; k < devices.size(); ++k) {
      const Dims& other = At(index_of, devices.device(g, k));
      for (int64_t dim : dims) {
        if (At(other, dim) != At(first, dim)) return std::nullopt;
      }
    }
  }
  return dims;
}

}  // namespace tessera::sharding::partition
