// Which ids a replica group holds.
//
// An iota [G,S]<=[r]T(p) is the numbers 0.. in a box of shape r, its dimensions taken in the order
// p, cut into G runs of S. Axes of a mesh are turned into the same thing: each mesh axis is split
// into the parts that the listed sub-axes name, the parts that are not listed go in front (they
// count the groups), the listed ones follow in the order written (they count inside a group).

#include <algorithm>

#include "tessera/hlo/attributes.h"

namespace tessera::hlo {
namespace {

constexpr int64_t kMostIds = int64_t{1} << 24;

// 0.. in row-major order of `sizes`, read with its dimensions in the order `permutation`.
std::vector<int64_t> TransposedIota(const IntList& sizes, const IntList& permutation) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  std::vector<int64_t> ids = {0};
  for (int64_t dim : permutation) {
    std::vector<int64_t> next;
    next.reserve(ids.size() * sizes[dim]);
    for (int64_t base : ids) {
      for (int64_t i = 0; i < sizes[dim]; ++i) next.push_back(base + i * strides[dim]);
    }
    ids = std::move(next);
  }
  return ids;
}

std::vector<std::vector<int64_t>> Cut(const std::vector<int64_t>& ids, int64_t size) {
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i + size <= ids.size(); i += size) {
    groups.emplace_back(ids.begin() + i, ids.begin() + i + size);
  }
  return groups;
}

// A part of a mesh axis: `size` values after `pre_size` slower ones.
struct Part {
  int64_t pre_size, size;
  int listed;  // place among the listed axes, -1 if not listed
};

// Parts of one axis, slowest first; nullopt when the listed sub-axes do not fit it.
std::optional<std::vector<Part>> SplitAxis(const ReplicaGroups& g,
                                           const ReplicaGroups::Axis& axis) {
  std::vector<Part> listed;
  for (size_t i = 0; i < g.axes.size(); ++i) {
    const ReplicaGroups::AxisRef& ref = g.axes[i];
    if (ref.name != axis.name) continue;
    const int64_t pre = ref.size == 0 ? 1 : ref.pre_size;
    listed.push_back({pre, ref.size == 0 ? axis.size : ref.size, static_cast<int>(i)});
  }
  std::sort(listed.begin(), listed.end(),
            [](const Part& a, const Part& b) { return a.pre_size < b.pre_size; });
  std::vector<Part> parts;
  int64_t done = 1;
  for (const Part& part : listed) {
    if (part.pre_size % done != 0) return std::nullopt;
    if (part.pre_size != done) parts.push_back({done, part.pre_size / done, -1});
    parts.push_back(part);
    if (__builtin_mul_overflow(part.pre_size, part.size, &done)) return std::nullopt;
  }
  if (done <= 0 || axis.size % done != 0) return std::nullopt;
  if (done != axis.size) parts.push_back({done, axis.size / done, -1});
  return parts;
}

std::optional<std::vector<std::vector<int64_t>>> ExpandMesh(const ReplicaGroups& g) {
  IntList sizes, unlisted, listed(g.axes.size(), -1);
  int64_t total = 1, group_size = 1;
  for (const ReplicaGroups::Axis& axis : g.mesh) {
    const auto parts = SplitAxis(g, axis);
    if (!parts.has_value()) return std::nullopt;
    for (const Part& part : *parts) {
      if (part.listed < 0) unlisted.push_back(static_cast<int64_t>(sizes.size()));
      if (part.listed >= 0) listed[part.listed] = static_cast<int64_t>(sizes.size());
      if (part.listed >= 0) group_size *= part.size;
      sizes.push_back(part.size);
    }
    if (__builtin_mul_overflow(total, axis.size, &total) || total > kMostIds) return std::nullopt;
  }
  if (std::count(listed.begin(), listed.end(), -1) != 0) return std::nullopt;
  if (!g.device_ids.empty() && static_cast<int64_t>(g.device_ids.size()) != total) {
    return std::nullopt;
  }
  unlisted.insert(unlisted.end(), listed.begin(), listed.end());
  std::vector<int64_t> ids = TransposedIota(sizes, unlisted);
  if (!g.device_ids.empty()) {
    for (int64_t& id : ids) id = g.device_ids[id];
  }
  return Cut(ids, group_size);
}

}  // namespace

std::optional<std::vector<std::vector<int64_t>>> ReplicaGroups::Expand() const {
  if (form == Form::kList) return list;
  if (form == Form::kMesh) return ExpandMesh(*this);
  if (group_size <= 0 || num_groups <= 0 || num_groups > kMostIds / group_size) {
    return std::nullopt;
  }
  const IntList identity = {0};
  return Cut(TransposedIota(reshape, permutation.empty() ? identity : permutation), group_size);
}

}  // namespace tessera::hlo
