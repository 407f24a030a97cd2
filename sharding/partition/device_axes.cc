#include "tessera/sharding/partition/device_axes.h"

#include <algorithm>

#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {
namespace {

// A prime factor of an axis.
struct Part {
  int64_t axis = 0, before = 1, size = 1;
  int64_t stride = 1;  // from a place in the mesh to the next one of this part
};

class MeshFactors {
 public:
  explicit MeshFactors(const Mesh& mesh) : mesh_(mesh), devices_(mesh.num_devices()) {
    for (int64_t i = 0; i < mesh.num_axes(); ++i) AddParts(i);
    int64_t stride = 1;
    for (int64_t k = Size(parts_); k-- > 0; stride *= At(parts_, k).size) {
      At(parts_, k).stride = stride;
    }
    const auto ids = mesh.device_ids();
    if (ids.empty()) return;
    places_.resize(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) At(places_, ids[i]) = static_cast<int64_t>(i);
  }

  int64_t Devices() const { return devices_; }
  bool Knows(int64_t device) const { return device >= 0 && device < devices_; }

  // The part in which device `i` of the group differs from the first, for each run; nothing if
  // there are several.
  std::optional<Dims> PartsOfGroup(const std::vector<int64_t>& group) const {
    Dims order;
    std::vector<bool> differs(parts_.size());
    for (int64_t span = 1; span < Size(group);) {
      std::fill(differs.begin(), differs.end(), false);
      MarkDifferences(group[0], At(group, span), &differs);
      if (std::count(differs.begin(), differs.end(), true) != 1) return std::nullopt;
      const int64_t found = std::find(differs.begin(), differs.end(), true) - differs.begin();
      if (Contains(order, found)) return std::nullopt;
      Insert(order, 0, found);
      span *= At(parts_, found).size;
    }
    return order;
  }

  bool RunsAlong(const std::vector<int64_t>& group, Ints order) const {
    const int64_t base = PlaceOf(group[0]);
    for (const int64_t k : order) {
      if (base / At(parts_, k).stride % At(parts_, k).size != 0) return false;
    }
    for (int64_t i = 0; i < Size(group); ++i) {
      int64_t expected = base, rest = i;
      for (int64_t k = Size(order); k-- > 0;) {
        const Part& part = At(parts_, order[static_cast<size_t>(k)]);
        expected += rest % part.size * part.stride;
        rest /= part.size;
      }
      if (expected != PlaceOf(At(group, i))) return false;
    }
    return true;
  }

  // Of the parts: those in which the two devices differ, too.
  void MarkDifferences(int64_t one, int64_t other, std::vector<bool>* differs) const {
    int64_t a = PlaceOf(one), b = PlaceOf(other);
    for (int64_t k = Size(parts_) - 1; a != b; --k) {
      const int64_t size = At(parts_, k).size;
      if (a % size != b % size) (*differs)[static_cast<size_t>(k)] = true;
      a /= size;
      b /= size;
    }
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

  // In the mesh.
  int64_t PlaceOf(int64_t device) const { return places_.empty() ? device : At(places_, device); }

  const Mesh& mesh_;
  const int64_t devices_;
  std::vector<Part> parts_;      // the first axis first
  std::vector<int64_t> places_;  // by device; empty where each is at its own number
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
    factors.MarkDifferences(source, target, &differs);
  }
  Dims order;
  for (int64_t k = 0; k < factors.num_parts(); ++k) {
    if (differs[static_cast<size_t>(k)]) order.push_back(k);
  }
  return factors.AxesOf(order);
}

}  // namespace tessera::sharding::partition
