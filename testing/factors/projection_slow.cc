#include "tessera/testing/factors/projection_slow.h"

#include <deque>
#include <numeric>
#include <vector>

namespace tessera::sharding::factors {
namespace {

// A part of an axis: `size` devices, of which `pre` are counted in front of it.
struct Part {
  int axis;
  int64_t pre;
  int64_t size;
};

Part ToPart(AxisRef a, const Mesh& mesh) { return {a.axis(), a.pre_size(), a.size(mesh)}; }

AxisRef ToAxis(const Part& p, const Mesh& mesh) {
  if (p.pre == 1 && p.size == mesh.axis_size(p.axis)) return AxisRef::Full(p.axis);
  return AxisRef::Sub(p.axis, p.pre, p.size);
}

void Join(std::vector<Part>& list, const Part& p, bool may_merge) {
  if (may_merge && !list.empty() && list.back().axis == p.axis &&
      list.back().pre * list.back().size == p.pre) {
    list.back().size *= p.size;
  } else {
    list.push_back(p);
  }
}

AxisList ToAxes(const std::vector<Part>& parts, const Mesh& mesh) {
  AxisList axes;
  for (const Part& p : parts) axes.push_back(ToAxis(p, mesh));
  return axes;
}

AxisList JoinAll(std::deque<Part>& parts, const Mesh& mesh) {
  std::vector<Part> list;
  for (const Part& p : parts) Join(list, p, /*may_merge=*/true);
  parts.clear();
  return ToAxes(list, mesh);
}

// What a factor of this size takes from the front of `parts`; `size` becomes what is left of it.
AxisList TakeDivisible(std::deque<Part>& parts, int64_t& size, const Mesh& mesh) {
  std::vector<Part> taken;
  while (!parts.empty()) {
    Part& front = parts.front();
    const int64_t share = std::gcd(size, front.size);
    if (front.size != 1 && share == 1) break;
    taken.push_back({front.axis, front.pre, share});
    size /= share;
    front = {front.axis, front.pre * share, front.size / share};
    if (front.size == 1) parts.pop_front();
  }
  return ToAxes(taken, mesh);
}

void ProjectDim(const OpShardingRule& rule, absl::Span<const int32_t> factors,
                const DimensionSharding& dim, const Mesh& mesh, SlowRow& row) {
  std::deque<Part> parts;
  for (AxisRef a : dim.axes) parts.push_back(ToPart(a, mesh));
  bool spilled = false;
  for (int f : factors) {
    FactorSharding& cell = row[f];
    cell.exists = true;
    cell.is_closed = dim.is_closed || spilled;
    cell.is_minor_most = f == factors.back();
    if (spilled) return;
    int64_t size = rule.size(f);
    cell.axes = cell.is_minor_most ? JoinAll(parts, mesh) : TakeDivisible(parts, size, mesh);
    spilled = size > 1 && !parts.empty();
    if (spilled) cell.overflow = JoinAll(parts, mesh);
  }
}

int64_t NumParts(const AxisList& axes, const Mesh& mesh) {
  int64_t n = 1;
  for (AxisRef a : axes) n *= a.size(mesh);
  return n;
}

}  // namespace

SlowRow SlowProject(const OpShardingRule& rule, int tensor, const TensorSharding& sharding,
                    const Mesh& mesh) {
  SlowRow row;
  for (int d = 0; d < rule.rank(tensor); ++d) {
    ProjectDim(rule, rule.factors(tensor, d), sharding.dim(d), mesh, row);
  }
  return row;
}

TensorSharding SlowToSharding(const OpShardingRule& rule, int tensor, const SlowRow& row,
                              const Mesh& mesh, MeshId mesh_id) {
  TensorSharding sharding(mesh_id, rule.rank(tensor), /*is_closed=*/false);
  for (int d = 0; d < rule.rank(tensor); ++d) {
    std::vector<Part> parts;
    for (int f : rule.factors(tensor, d)) {
      const FactorSharding& cell = row.at(f);
      if (cell.is_closed) sharding.dim(d).is_closed = true;
      for (const AxisList* list : {&cell.axes, &cell.overflow}) {
        for (size_t i = 0; i < list->size(); ++i) Join(parts, ToPart((*list)[i], mesh), i == 0);
      }
      if (!cell.overflow.empty() || NumParts(cell.axes, mesh) < rule.size(f)) break;
    }
    sharding.dim(d).axes = ToAxes(parts, mesh);
  }
  return sharding;
}

}  // namespace tessera::sharding::factors
