#include "tessera/sharding/passes/emit/replica_groups.h"

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::sharding::passes {
namespace {

// Devices between two neighbours along an axis, in the order of the mesh.
int64_t StrideOf(AxisRef axis, const Mesh& mesh) {
  int64_t stride = mesh.axis_size(axis.axis()) / axis.next_pre_size(mesh);
  for (int a = axis.axis() + 1; a < mesh.num_axes(); ++a) stride *= mesh.axis_size(a);
  return stride;
}

// Devices by their index in the group, by the place of the group's first device in the mesh.
using Groups = std::map<int64_t, std::map<int64_t, int64_t>>;

Groups GroupsAlong(const AxisList& axes, const Mesh& mesh) {
  const std::vector<int64_t> devices = mesh.DeviceOrder();
  Groups groups;
  for (int64_t place = 0; place < static_cast<int64_t>(devices.size()); ++place) {
    int64_t group = place, index = 0;
    for (AxisRef axis : axes) {
      const int64_t stride = StrideOf(axis, mesh);
      const int64_t coordinate = place / stride % axis.size(mesh);
      group -= coordinate * stride;
      index = index * axis.size(mesh) + coordinate;
    }
    groups[group][index] = devices[static_cast<size_t>(place)];
  }
  return groups;
}

}  // namespace

std::string ReplicaGroups(const AxisList& axes, const Mesh& mesh) {
  std::vector<std::string> texts;
  for (const auto& [group, members] : GroupsAlong(axes, mesh)) {
    std::vector<int64_t> ids;
    for (const auto& [index, device] : members) ids.push_back(device);
    texts.push_back(absl::StrCat("{", absl::StrJoin(ids, ","), "}"));
  }
  return absl::StrCat("{", absl::StrJoin(texts, ","), "}");
}

}  // namespace tessera::sharding::passes
