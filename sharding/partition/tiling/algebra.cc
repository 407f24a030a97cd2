// Steps on the device grid of a tiling: reshape, transpose, reshape again.
// XLA: hlo_sharding_util, TransposeSharding, ReshapeToTileDimension,
// PartiallyReplicateTiledShardingOnDims, PropagateShardingAlongDimsAndReplicateOthers.

#include "tessera/sharding/partition/tiling/algebra.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::partition {
namespace {

Dims DimsOf(const Tiling& tiling) { return Dims(tiling.dims().begin(), tiling.dims().end()); }

Dims WithSubgroupDims(const Tiling& tiling, Ints order) {
  Dims out(order.begin(), order.end());
  for (int64_t i = Size(order); i < tiling.num_dims(); ++i) out.push_back(i);
  return out;
}

// Positions of the values in ascending order of the values.
Dims ArgSort(Ints values) {
  Dims out = Iota(Size(values));
  std::stable_sort(out.begin(), out.end(),
                   [&values](int64_t a, int64_t b) { return At(values, a) < At(values, b); });
  return out;
}

}  // namespace

Tiling Transpose(const Tiling& tiling, Ints order) {
  if (!tiling.IsTiled()) return tiling;
  const Dims whole = WithSubgroupDims(tiling, order);
  Tiling::Types types;
  for (int64_t i = tiling.data_rank(); i < Size(whole); ++i) {
    // A subgroup swapped with a data dimension keeps its type in place.
    const int64_t from = At(whole, i);
    types.push_back(At(tiling.types(), std::max(from, tiling.data_rank()) - tiling.data_rank()));
  }
  return Tiling::Derived(tiling.grid().Transpose(whole), types, tiling);
}

Tiling ReplicateOn(const Tiling& tiling, Ints dims) {
  if (!tiling.IsTiled()) return tiling;
  int64_t count = 1;
  for (int64_t dim : dims) count *= tiling.dim(dim);
  if (count == 1) return tiling;
  if (count == tiling.tiles() && tiling.types().empty()) return Tiling::Replicated();
  Dims order;
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    if (!Contains(dims, i)) order.push_back(i);
  }
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    if (Contains(dims, i)) order.push_back(i);
  }
  Dims shape = DimsOf(tiling);
  for (int64_t dim : dims) At(shape, dim) = 1;
  Insert(shape, tiling.data_rank(), count);
  Tiling::Types types = {SubgroupType::kReplicated};
  types.insert(types.end(), tiling.types().begin(), tiling.types().end());
  return Tiling::Derived(tiling.grid().Transpose(WithSubgroupDims(tiling, order)).Reshape(shape),
                         types, tiling);
}

Tiling ReplicateOnAllExcept(const Tiling& tiling, Ints dims) {
  if (!tiling.IsTiled()) return tiling;
  return ReplicateOn(tiling, AllExcept(tiling.data_rank(), dims));
}

Tiling ReplicateData(const Tiling& tiling) {
  if (tiling.IsManual()) return tiling;
  if (!tiling.IsTiled() || tiling.types().empty()) return Tiling::Replicated();
  return ReplicateOnAllExcept(tiling, {});
}

Tiling RemoveDims(const Tiling& tiling, Ints dims) {
  if (!tiling.IsTiled() || dims.empty()) return tiling;
  Dims left;
  for (int64_t i = 0; i < tiling.num_dims(); ++i) {
    if (!Contains(dims, i)) left.push_back(tiling.dim(i));
  }
  return Tiling::Like(tiling.grid().Reshape(left), tiling);
}

Tiling Reverse(const Tiling& tiling, Ints dims) {
  if (!tiling.IsTiled() || dims.empty()) return tiling;
  if (tiling.IsNamed()) return Reverse(tiling.AsV1(), dims);
  const std::vector<int64_t> old = tiling.grid().Devices();
  std::vector<int64_t> devices;
  Dims index(static_cast<size_t>(tiling.num_dims()), 0);
  for (int64_t i = 0; i < Size(old); ++i) {
    int64_t linear = 0;
    for (int64_t d = 0; d < tiling.num_dims(); ++d) {
      const int64_t at = Contains(dims, d) ? tiling.dim(d) - 1 - At(index, d) : At(index, d);
      linear = linear * tiling.dim(d) + at;
    }
    devices.push_back(At(old, linear));
    for (int64_t d = tiling.num_dims(); d-- > 0;) {
      if (++At(index, d) < tiling.dim(d)) break;
      At(index, d) = 0;
    }
  }
  return Tiling::Like(*TileAssignment::List(tiling.dims(), std::move(devices)), tiling);
}

Tiling MoveCuts(const Tiling& tiling, int64_t source, int64_t target) {
  Dims dims = DimsOf(tiling);
  Insert(dims, target + 1, 1);
  Dims order = Iota(Size(dims));
  std::swap(At(order, target + 1), At(order, source + (source < target ? 0 : 1)));
  TileAssignment grid = tiling.grid().Reshape(dims).Transpose(order);
  Dims merged(grid.dims().begin(), grid.dims().end());
  At(merged, target) *= At(merged, target + 1);
  Erase(merged, target + 1);
  return Tiling::Like(grid.Reshape(merged), tiling);
}

std::optional<int64_t> TargetForCuts(const layout::Shape& shape, const Tiling& tiling,
                                     int64_t source, const std::function<bool(int64_t)>& may) {
  if (shape.rank() < 2 || shape.dim(source) == 1) return std::nullopt;
  if (!tiling.IsTiled() || tiling.dim(source) == 1) return std::nullopt;
  for (int64_t dim = 0; dim < shape.rank(); ++dim) {
    if (dim == source || (may != nullptr && !may(dim))) continue;
    if (shape.dim(dim) % (tiling.dim(source) * tiling.dim(dim)) == 0) return dim;
  }
  return std::nullopt;
}

Tiling SplitDim(const Tiling& tiling, int64_t dim, int64_t major) {
  Dims dims = DimsOf(tiling);
  Insert(dims, dim + 1, At(dims, dim) / major);
  At(dims, dim) = major;
  return Tiling::Like(tiling.grid().Reshape(dims), tiling);
}

Tiling MergeDim(const Tiling& tiling, int64_t dim) {
  Dims dims = DimsOf(tiling);
  At(dims, dim) *= At(dims, dim + 1);
  Erase(dims, dim + 1);
  return Tiling::Like(tiling.grid().Reshape(dims), tiling);
}

std::optional<Tiling> TransposeCollapsed(const Tiling& tiling, Ints from_to, Ints to_from) {
  if (!tiling.IsTiled()) return tiling;
  Dims order;
  for (int64_t from : to_from) {
    if (from >= 0) order.push_back(from);
  }
  for (int64_t i = 0; i < Size(from_to); ++i) {
    if (At(from_to, i) >= 0) continue;
    if (tiling.dim(i) > 1) return std::nullopt;
    order.push_back(i);
  }
  for (int64_t i = tiling.data_rank(); i < tiling.num_dims(); ++i) order.push_back(i);
  Dims dims;
  for (int64_t from : to_from) dims.push_back(from < 0 ? 1 : tiling.dim(from));
  for (int64_t i = tiling.data_rank(); i < tiling.num_dims(); ++i) dims.push_back(tiling.dim(i));
  return Tiling::Like(tiling.grid().Transpose(order).Reshape(dims), tiling);
}

Tiling PropagateAlongDims(const Tiling& tiling, Ints source, Ints target, int64_t rank) {
  if (!tiling.IsTiled()) return tiling;
  Tiling kept = ReplicateOnAllExcept(tiling, source);
  if (!kept.IsTiled()) return kept;
  const Dims by_target = ArgSort(target);
  if (ArgSort(source) != by_target) {
    Dims order;
    for (int64_t i : by_target) order.push_back(At(source, i));
    for (int64_t i = 0; i < kept.num_dims(); ++i) {
      if (!Contains(source, i)) order.push_back(i);
    }
    kept = Transpose(kept, order);
  }
  Dims dims(static_cast<size_t>(rank), 1);
  for (int64_t i = 0; i < Size(source); ++i) At(dims, At(target, i)) = tiling.dim(At(source, i));
  for (int64_t i = kept.data_rank(); i < kept.num_dims(); ++i) dims.push_back(kept.dim(i));
  return Tiling::Like(kept.grid().Reshape(dims), kept);
}

bool IsMoreSpecific(const Tiling& a, const Tiling& b) {
  if (a.IsManual()) return b.IsMaximal();
  if (b.IsManual()) return false;
  if (!b.IsMaximal()) return a.tiles() > b.tiles();
  return !(b.IsReplicated() ? a.IsReplicated() : a.IsMaximal());
}

}  // namespace tessera::sharding::partition
