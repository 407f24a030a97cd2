#include "tessera/testing/sharding/small_meshes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera::sharding::testing {
namespace {

void Factorize(int64_t n, int most, int64_t least, std::vector<int64_t>& start,
               std::vector<std::vector<int64_t>>& out) {
  if (n == 1) out.push_back(start);
  if (most == 0) return;
  for (int64_t factor = least; factor <= n; ++factor) {
    if (n % factor != 0) continue;
    start.push_back(factor);
    Factorize(n / factor, most - 1, least, start, out);
    start.pop_back();
  }
}

// The axis, cut into pieces of these sizes; whole for one size or none.
void AppendPieces(int axis, const std::vector<int64_t>& sizes, std::vector<AxisRef>* pieces) {
  if (sizes.size() <= 1) return pieces->push_back(AxisRef::Full(axis));
  int64_t pre = 1;
  for (const int64_t size : sizes) {
    pieces->push_back(AxisRef::Sub(axis, pre, size));
    pre *= size;
  }
}

// One cut of every axis of the mesh, as the list of all pieces.
std::vector<std::vector<AxisRef>> Cuts(const Mesh& mesh) {
  std::vector<std::vector<AxisRef>> out = {{}};
  for (int axis = 0; axis < mesh.num_axes(); ++axis) {
    std::vector<std::vector<AxisRef>> longer;
    for (const std::vector<int64_t>& sizes : Factorizations(mesh.axis_size(axis), 3, 2)) {
      for (std::vector<AxisRef> start : out) {
        AppendPieces(axis, sizes, &start);
        longer.push_back(std::move(start));
      }
    }
    out = std::move(longer);
  }
  return out;
}

bool HasMergeable(const AxisList& axes) {
  for (size_t i = 1; i < axes.size(); ++i) {
    if (CanMerge(axes[i - 1], axes[i])) return true;
  }
  return false;
}

bool IsValid(const TensorSharding& sharding) {
  for (const DimensionSharding& dim : sharding.dims()) {
    if (HasMergeable(dim.axes)) return false;
  }
  return !HasMergeable(sharding.replicated_axes()) && !HasMergeable(sharding.unreduced_axes());
}

// Puts the pieces from `next` on in every place; within a dimension in every order.
void Place(const std::vector<AxisRef>& pieces, size_t next, TensorSharding& sharding,
           const std::function<void(const TensorSharding&)>& f) {
  if (next == pieces.size()) {
    if (IsValid(sharding)) f(sharding);
    return;
  }
  Place(pieces, next + 1, sharding, f);
  for (int d = 0; d < sharding.rank(); ++d) {
    for (size_t at = 0; at <= sharding.dim(d).axes.size(); ++at) {
      AxisList before = sharding.dim(d).axes;
      sharding.dim(d).axes.insert(
          before.size() == at ? sharding.dim(d).axes.end()
                              : sharding.dim(d).axes.begin() + static_cast<std::ptrdiff_t>(at),
          pieces[next]);
      Place(pieces, next + 1, sharding, f);
      sharding.dim(d).axes = before;
    }
  }
  for (AxisList* list : {&sharding.mutable_replicated_axes(), &sharding.mutable_unreduced_axes()}) {
    list->push_back(pieces[next]);
    Place(pieces, next + 1, sharding, f);
    list->pop_back();
  }
}

}  // namespace

std::vector<std::vector<int64_t>> Factorizations(int64_t n, int most, int64_t least) {
  std::vector<std::vector<int64_t>> out;
  std::vector<int64_t> start;
  Factorize(n, most, least, start, out);
  return out;
}

std::vector<Mesh> SmallMeshes(int64_t devices, int axes) {
  std::vector<Mesh> out;
  for (int64_t n = 1; n <= devices; ++n) {
    for (const std::vector<int64_t>& sizes : Factorizations(n, axes, 1)) {
      std::vector<MeshAxis> named;
      for (int64_t size : sizes) {
        named.push_back({std::string(1, static_cast<char>('a' + named.size())), size});
      }
      if (!named.empty()) out.push_back(*Mesh::Create(std::move(named)));
    }
  }
  return out;
}

std::vector<AxisRef> AllParts(int axis, int64_t full_size) {
  std::vector<AxisRef> out = {AxisRef::Full(axis)};
  for (int64_t pre = 1; pre < full_size; ++pre) {
    for (int64_t size = 2; pre * size <= full_size; ++size) {
      if (full_size % (pre * size) == 0 && size != full_size) {
        out.push_back(AxisRef::Sub(axis, pre, size));
      }
    }
  }
  return out;
}

void ForEachSharding(const Mesh& mesh, int rank,
                     const std::function<void(const TensorSharding&)>& f) {
  for (const std::vector<AxisRef>& pieces : Cuts(mesh)) {
    TensorSharding sharding(0, rank);
    Place(pieces, 0, sharding, f);
  }
}

}  // namespace tessera::sharding::testing
