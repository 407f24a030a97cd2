#include "tessera/sharding/explain/golden/axis_changes.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::sharding::golden {
namespace {

using Kind = AxisChange::Kind;

struct PlacedAxis {
  std::string axis;       // with its part, in quotes
  std::string mesh_axis;  // whole
  int place = 0;
};

PlacedAxis At(int place, AxisRef axis, const Mesh& mesh) {
  return {QuotedAxisText(axis, mesh), mesh.axis(axis.axis()).name, place};
}

std::vector<PlacedAxis> AxesOf(const TensorSharding* sharding, const Mesh& mesh) {
  std::vector<PlacedAxis> axes;
  if (sharding == nullptr) return axes;
  for (int d = 0; d < sharding->rank(); ++d) {
    for (const AxisRef axis : sharding->dim(d).axes) axes.push_back(At(d, axis, mesh));
  }
  for (const AxisRef axis : sharding->unreduced_axes()) {
    axes.push_back(At(AxisChange::kUnreduced, axis, mesh));
  }
  return axes;
}

std::optional<int> PlaceOf(const std::string& axis, const std::vector<PlacedAxis>& axes) {
  for (const PlacedAxis& placed : axes) {
    if (placed.axis == axis) return placed.place;
  }
  return std::nullopt;
}

std::vector<std::string> AxesAt(int place, const std::vector<PlacedAxis>& axes) {
  std::vector<std::string> names;
  for (const PlacedAxis& placed : axes) {
    if (placed.place == place) names.push_back(placed.axis);
  }
  return names;
}

// Dimensions with the same axes in another order.
void AddReordered(const std::vector<PlacedAxis>& before, const std::vector<PlacedAxis>& after,
                  std::vector<AxisChange>* changes) {
  int done = AxisChange::kUnreduced;
  for (const PlacedAxis& placed : before) {
    if (placed.place <= done) continue;
    done = placed.place;
    const std::vector<std::string> was = AxesAt(placed.place, before);
    const std::vector<std::string> is = AxesAt(placed.place, after);
    if (was == is || !std::is_permutation(was.begin(), was.end(), is.begin(), is.end())) continue;
    changes->push_back({Kind::kReordered, absl::StrJoin(is, ", "), placed.place, placed.place, ""});
  }
}

// A device takes the place of axes: an array is on one, or cut along axes.
void AddDevices(const TensorSharding* before, const Mesh& mesh_before, const TensorSharding* after,
                const Mesh& mesh_after, std::vector<AxisChange>* changes) {
  const auto device_of = [](const TensorSharding* sharding, const Mesh& mesh) {
    return sharding != nullptr && mesh.is_maximal() ? mesh.maximal_device_id()
                                                    : AxisChange::kManyDevices;
  };
  const int64_t was = device_of(before, mesh_before), is = device_of(after, mesh_after);
  if (was != is) changes->push_back({Kind::kDevice, "", was, is, ""});
}

std::string DeviceText(const AxisChange& change) {
  if (change.to == AxisChange::kManyDevices) {
    return absl::StrCat("is no longer on device ", change.from, " alone");
  }
  if (change.from == AxisChange::kManyDevices)
    return absl::StrCat("is on device ", change.to, " alone");
  return absl::StrCat("moved from device ", change.from, " to device ", change.to);
}

std::string PlaceText(int64_t place) {
  return place == AxisChange::kUnreduced ? "the unreduced axes" : absl::StrCat("dimension ", place);
}

}  // namespace

const char* KindName(Kind kind) {
  constexpr const char* kNames[] = {"lost", "gained", "moved", "reordered", "device"};
  return kNames[static_cast<int>(kind)];
}

std::string ToString(const AxisChange& change) {
  switch (change.kind) {
    case Kind::kMoved:
      return absl::StrCat(change.axis, " moved from ", PlaceText(change.from), " to ",
                          PlaceText(change.to));
    case Kind::kReordered:
      return absl::StrCat("the order on ", PlaceText(change.to), " is now ", change.axis);
    case Kind::kLost:
      return absl::StrCat("lost ", change.axis, " on ", PlaceText(change.from));
    case Kind::kDevice:
      return DeviceText(change);
    case Kind::kGained:
      return absl::StrCat("gained ", change.axis, " on ", PlaceText(change.to));
  }
  return "";
}

std::vector<AxisChange> AxisChanges(const TensorSharding* before, const Mesh& mesh_before,
                                    const TensorSharding* after, const Mesh& mesh_after) {
  const std::vector<PlacedAxis> was = AxesOf(before, mesh_before);
  const std::vector<PlacedAxis> is = AxesOf(after, mesh_after);
  std::vector<AxisChange> changes;
  for (const PlacedAxis& placed : was) {
    const std::optional<int> now = PlaceOf(placed.axis, is);
    if (!now.has_value()) {
      changes.push_back({Kind::kLost, placed.axis, placed.place, placed.place, placed.mesh_axis});
    } else if (*now != placed.place) {
      changes.push_back({Kind::kMoved, placed.axis, placed.place, *now, placed.mesh_axis});
    }
  }
  for (const PlacedAxis& placed : is) {
    if (PlaceOf(placed.axis, was).has_value()) continue;
    changes.push_back({Kind::kGained, placed.axis, placed.place, placed.place, placed.mesh_axis});
  }
  AddReordered(was, is, &changes);
  AddDevices(before, mesh_before, after, mesh_after, &changes);
  return changes;
}

}  // namespace tessera::sharding::golden
