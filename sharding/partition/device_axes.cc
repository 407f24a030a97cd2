#include "tessera/sharding/partition/device_axes.h"

#include <algorithm>

#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {
namespace {

// A prime factor of an axis.
struct Part {
  int64_t axis = 0, before = 1, size = 1;
};

class MeshFactors {
 public:
  explicit MeshFactors(const Mesh& mesh) : mesh_(mesh), place_(static_cast<size_t>(Devices())) {
    for (int64_t i = 0; i < mesh.num_axes(); ++i) AddParts(i);
    const auto ids = mesh.device_ids();
    for (int64_t i = 0; i < Size(place_); ++i) {
      At(place_, ids.empty() ? i : ids[static_cast<size_t>(i)]) = i;
    }
  }

  int64_t Devices() const {
    int64_t count = 1;
    for (const MeshAxis& axis : mesh_.axes()) count *= axis.size;
    return count;
  }

  bool Knows(int64_t device) const { return device >= 0 && device < Size(place_); }

  Dims Coordinates(int64_t device) const {
    Dims out(parts_.size());
    int64_t rest = At(place_, device);
    for (int64_t k = Size(parts_); k-- > 0;) {
      At(out, k) = rest % At(parts_, k).size;
      rest /= At(parts_, k).size;
    }
    return out;
  }

  // The part in which device `i` of the group differs from the first, for each run; nothing if
  // there are several.
  std::optional<Dims> PartsOfGroup(const std::vector<int64_t>& group) const {
    const Dims first = Coordinates(group[0]);
    Dims order;
    for (int64_t span = 1; span < Size(group);) {
      const Dims at = Coordinates(At(group, span));
      int64_t found = -1;
      for (int64_t k = 0; k < Size(parts_); ++k) {
        if (At(at, k) == At(first, k)) continue;
        if (found >= 0) return std::nullopt;
        found = k;
      }
      if (found < 0 || Contains(order, found)) return std::nullopt;
      Insert(order, 0, found);
      span *= At(parts_, found).size;
    }
    return order;
  }

  bool RunsAlong(const std::vector<int64_t>& group, Ints order) const {
    const Dims base = Coordinates(group[0]);
    if (std::any_of(order.begin(), order.end(), [&](int64_t k) { return At(base, k) != 0; })) {
      return false;
    }
    for (int64_t i = 0; i < Size(group); ++i) {
      Dims expected = base;
      int64_t rest = i;
      for (int64_t k = Size(order); k-- > 0;) {
        const int64_t size = At(parts_, order[static_cast<size_t>(k)]).size;
        At(expected, order[static_cast<size_t>(k)]) = rest % size;
        rest /= size;
      }
      if (expected != Coordinates(At(group, i))) return false;
    }
    return true;
  }

  // Merges adjacent parts; a complete axis is named as such.
  AxisList AxesOf(Ints order) const {
    std::vector<Part> joined;
    for (int64_t k : order) {
      const Part& part = At(parts_, k);
      if (!joined.empty() && joined.back().axis == part.axis &&
          joined.back().before * joined.back().size == part.before) {
        joined.back().size *= part.size;
      } else {
        joined.push_back(part);
      }
    }
    AxisList axes;
    for (const Part& part : joined) {
      const int axis = static_cast<int>(part.axis);
      axes.push_back(part.size == mesh_.axis_size(axis)
                         ? AxisRef::Full(axis)
                         : AxisRef::Sub(axis, part.before, part.size));
    }
    return axes;
  }

  int64_t num_parts() const { return Size(parts_); }

 private:
  void AddParts(int64_t axis) {
    int64_t rest = mesh_.axis_size(static_cast<int>(axis)), before = 1;
    for (int64_t p = 2; rest > 1; ++p) {
      for (; rest % p == 0; rest /= p) {
        parts_.push_back({axis, before, p});
        before *= p;
      }
    }
  }

  const Mesh& mesh_;
  std::vector<Part> parts_;
  std::vector<int64_t> place_;  // of each device in the mesh
};

}  // namespace

std::optional<AxisList> AxesOfGroups(const Groups& groups, const Mesh& mesh) {
  const MeshFactors factors(mesh);
  const size_t size = groups.empty() ? 0 : groups[0].size();
  if (size == 0 || static_cast<int64_t>(size * groups.size()) != factors.Devices()) {
    return std::nullopt;
  }
  for (const auto& group : groups) {
    if (group.size() != size) return std::nullopt;
    for (int64_t device : group) {
      if (!factors.Knows(device)) return std::nullopt;
    }
  }
  const std::optional<Dims> order = factors.PartsOfGroup(groups[0]);
  if (!order.has_value()) return std::nullopt;
  for (const auto& group : groups) {
    if (!factors.RunsAlong(group, *order)) return std::nullopt;
  }
  return factors.AxesOf(*order);
}

std::optional<AxisList> AxesOfPairs(const Pairs& pairs, const Mesh& mesh) {
  const MeshFactors factors(mesh);
  std::vector<bool> differs(static_cast<size_t>(factors.num_parts()), false);
  for (const auto& [source, target] : pairs) {
    if (!factors.Knows(source) || !factors.Knows(target)) return std::nullopt;
    const Dims a = factors.Coordinates(source), b = factors.Coordinates(target);
    for (int64_t k = 0; k < Size(a); ++k) {
      if (At(a, k) != At(b, k)) differs[static_cast<size_t>(k)] = true;
    }
  }
  Dims order;
  for (int64_t k = 0; k < factors.num_parts(); ++k) {
    if (differs[static_cast<size_t>(k)]) order.push_back(k);
  }
  return factors.AxesOf(order);
}

}  // namespace tessera::sharding::partition
