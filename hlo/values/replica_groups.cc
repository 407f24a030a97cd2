// Which ids a replica group holds.
//
// An iota [G,S]<=[r]T(p) is the numbers 0.. in a box of shape r, its dimensions taken in the order
// p, cut into G runs of S. Axes of a mesh are turned into the same thing. Each mesh axis is split
// into the parts that the listed sub-axes name. The parts that are not listed go in front: they
// count the groups. The listed ones follow in the order written: they count inside a group.

#include <algorithm>
#include <functional>
#include <numeric>

#include "tessera/hlo/attributes.h"
#include "tessera/text/checked.h"

namespace tessera::hlo {
namespace {

constexpr int64_t kMaxIds = int64_t{1} << 24;

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
    if (!MultiplyFits(part.pre_size, part.size, &done)) return std::nullopt;
  }
  if (done <= 0 || axis.size % done != 0) return std::nullopt;
  if (done != axis.size) parts.push_back({done, axis.size / done, -1});
  return parts;
}

// The parts of all axes, and in which order they count: the listed ones last.
struct MeshBox {
  IntList sizes, order;
  int64_t total = 1, group_size = 1;
};

std::optional<MeshBox> BoxOf(const ReplicaGroups& g) {
  MeshBox box;
  IntList listed(g.axes.size(), -1);
  for (const ReplicaGroups::Axis& axis : g.mesh) {
    const auto parts = SplitAxis(g, axis);
    if (!parts.has_value()) return std::nullopt;
    if (!MultiplyFits(box.total, axis.size, &box.total) || box.total > kMaxIds) {
      return std::nullopt;
    }
    for (const Part& part : *parts) {
      const int64_t place = static_cast<int64_t>(box.sizes.size());
      box.sizes.push_back(part.size);
      if (part.listed < 0) {
        box.order.push_back(place);
      } else {
        listed[part.listed] = place;
        box.group_size *= part.size;
      }
    }
  }
  if (std::count(listed.begin(), listed.end(), -1) != 0) return std::nullopt;
  const int64_t devices =
      std::accumulate(g.reshape.begin(), g.reshape.end(), int64_t{1}, std::multiplies<int64_t>());
  if ((!g.device_ids.empty() && static_cast<int64_t>(g.device_ids.size()) != box.total) ||
      (!g.reshape.empty() && devices != box.total)) {
    return std::nullopt;
  }
  box.order.insert(box.order.end(), listed.begin(), listed.end());
  return box;
}

std::optional<std::vector<std::vector<int64_t>>> ExpandMesh(const ReplicaGroups& g) {
  const std::optional<MeshBox> box = BoxOf(g);
  if (!box.has_value()) return std::nullopt;
  std::vector<int64_t> ids = TransposedIota(box->sizes, box->order);
  const std::vector<int64_t> order =
      g.reshape.empty() ? g.device_ids : TransposedIota(g.reshape, g.permutation);
  if (!order.empty()) {
    for (int64_t& id : ids) id = order[id];
  }
  return Cut(ids, box->group_size);
}

}  // namespace

std::optional<std::vector<std::vector<int64_t>>> ReplicaGroups::Expand() const {
  if (form == Form::kList) return list;
  if (form == Form::kMesh) return ExpandMesh(*this);
  if (!NumIds().has_value()) return std::nullopt;
  const IntList identity = {0};
  return Cut(TransposedIota(reshape, permutation.empty() ? identity : permutation), group_size);
}

std::optional<int64_t> ReplicaGroups::NumIds() const {
  if (form == Form::kMesh) {
    const std::optional<MeshBox> box = BoxOf(*this);
    return box.has_value() ? std::optional<int64_t>(box->total) : std::nullopt;
  }
  if (form == Form::kIota) {
    const bool fits = group_size > 0 && num_groups > 0 && num_groups <= kMaxIds / group_size;
    return fits ? std::optional<int64_t>(num_groups * group_size) : std::nullopt;
  }
  int64_t ids = 0;
  for (const std::vector<int64_t>& group : list) ids += static_cast<int64_t>(group.size());
  return ids;
}

std::optional<int64_t> ReplicaGroups::UniformSize() const {
  if (form == Form::kIota) return group_size;
  if (form == Form::kMesh) {
    const std::optional<MeshBox> box = BoxOf(*this);
    if (!box.has_value()) return std::nullopt;
    return box->group_size;
  }
  if (list.empty() || (list.size() == 1 && list[0].empty())) return -1;
  for (const std::vector<int64_t>& group : list) {
    if (group.size() != list[0].size()) return 0;
  }
  return static_cast<int64_t>(list[0].size());
}

}  // namespace tessera::hlo
