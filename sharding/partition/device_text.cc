#include "tessera/sharding/partition/device_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::sharding::partition {
namespace {

// Devices 0, stride, 2 x stride, ..
struct Run {
  int64_t size = 1, stride = 1;
};

std::vector<int64_t> Flattened(const Groups& groups) {
  std::vector<int64_t> out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

// The list as nested runs, the innermost first.
std::optional<std::vector<Run>> RunsOf(const std::vector<int64_t>& devices) {
  std::vector<Run> runs;
  const int64_t count = Size(devices);
  for (int64_t span = 1; span < count;) {
    Run run = {1, At(devices, span) - devices[0]};
    while (span * (run.size + 1) <= count &&
           At(devices, span * run.size) == devices[0] + run.size * run.stride) {
      ++run.size;
    }
    if (run.size == 1 || count % (span * run.size) != 0) return std::nullopt;
    runs.push_back(run);
    span *= run.size;
  }
  return runs;
}

// Sizes and permutation of the iota that has these runs.
std::optional<TileAssignment> IotaOf(const std::vector<int64_t>& devices, Ints dims) {
  if (devices.empty() || devices[0] != 0) return std::nullopt;
  std::optional<std::vector<Run>> runs = RunsOf(devices);
  if (!runs.has_value()) return std::nullopt;
  if (runs->empty()) runs->push_back({1, 1});
  std::reverse(runs->begin(), runs->end());
  std::vector<int64_t> order(runs->size());
  for (int64_t i = 0; i < Size(order); ++i) At(order, i) = i;
  std::sort(order.begin(), order.end(),
            [&runs](int64_t a, int64_t b) { return At(*runs, a).stride > At(*runs, b).stride; });
  std::vector<int64_t> sizes, perm(order.size());
  for (int64_t i = 0; i < Size(order); ++i) {
    sizes.push_back(At(*runs, At(order, i)).size);
    At(perm, At(order, i)) = i;
  }
  const auto iota = TileAssignment::Iota(dims, sizes, perm);
  if (!iota.ok() || iota->Devices() != devices) return std::nullopt;
  return *iota;
}

// A prime factor of an axis.
struct Part {
  int64_t axis = 0, before = 1, size = 1;
};

class Namer {
 public:
  explicit Namer(const Mesh& mesh) : mesh_(mesh), place_(static_cast<size_t>(Devices())) {
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

  std::vector<std::string> Text(Ints order) const {
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
    std::vector<std::string> out;
    for (const Part& part : joined) {
      const MeshAxis& axis = mesh_.axis(static_cast<int>(part.axis));
      out.push_back(part.size == axis.size
                        ? axis.name
                        : absl::StrCat(axis.name, ":(", part.before, ")", part.size));
    }
    return out;
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

std::string GroupsText(const Groups& groups) {
  const size_t size = groups.empty() ? 0 : groups[0].size();
  const bool alike = std::all_of(groups.begin(), groups.end(),
                                 [size](const auto& group) { return group.size() == size; });
  if (alike && size > 0) {
    const auto iota = IotaOf(Flattened(groups), {Size(groups), static_cast<int64_t>(size)});
    if (iota.has_value()) return iota->ToString();
  }
  return absl::StrCat("{",
                      absl::StrJoin(groups, ",",
                                    [](std::string* out, const std::vector<int64_t>& group) {
                                      absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
                                    }),
                      "}");
}

std::string PairsText(const Pairs& pairs) {
  return absl::StrCat("{",
                      absl::StrJoin(pairs, ",",
                                    [](std::string* out, const auto& pair) {
                                      absl::StrAppend(out, "{", pair.first, ",", pair.second, "}");
                                    }),
                      "}");
}

std::optional<std::vector<std::string>> AxesOfGroups(const Groups& groups, const Mesh& mesh) {
  const Namer namer(mesh);
  const size_t size = groups.empty() ? 0 : groups[0].size();
  if (size == 0 || static_cast<int64_t>(size * groups.size()) != namer.Devices()) {
    return std::nullopt;
  }
  for (const auto& group : groups) {
    if (group.size() != size) return std::nullopt;
    for (int64_t device : group) {
      if (!namer.Knows(device)) return std::nullopt;
    }
  }
  const std::optional<Dims> order = namer.PartsOfGroup(groups[0]);
  if (!order.has_value()) return std::nullopt;
  for (const auto& group : groups) {
    if (!namer.RunsAlong(group, *order)) return std::nullopt;
  }
  return namer.Text(*order);
}

std::optional<std::vector<std::string>> AxesOfPairs(const Pairs& pairs, const Mesh& mesh) {
  const Namer namer(mesh);
  std::vector<bool> differs(static_cast<size_t>(namer.num_parts()), false);
  for (const auto& [source, target] : pairs) {
    if (!namer.Knows(source) || !namer.Knows(target)) return std::nullopt;
    const Dims a = namer.Coordinates(source), b = namer.Coordinates(target);
    for (int64_t k = 0; k < Size(a); ++k) {
      if (At(a, k) != At(b, k)) differs[static_cast<size_t>(k)] = true;
    }
  }
  Dims order;
  for (int64_t k = 0; k < namer.num_parts(); ++k) {
    if (differs[static_cast<size_t>(k)]) order.push_back(k);
  }
  return namer.Text(order);
}

}  // namespace tessera::sharding::partition
