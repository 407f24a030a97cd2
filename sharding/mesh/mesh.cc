#include "tessera/sharding/mesh.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/checked.h"

namespace tessera::sharding {
namespace {

bool IsIota(absl::Span<const int64_t> ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

absl::Status CheckValues(absl::Span<const MeshAxis> axes, absl::Span<const int64_t> device_ids) {
  for (const MeshAxis& axis : axes) {
    if (axis.size > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the size of axis \"", axis.name, "\" must be at least 1, it is ", axis.size));
  }
  for (int64_t id : device_ids) {
    if (id >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("device ids must not be negative: ", id));
  }
  return absl::OkStatus();
}

absl::Status CheckNames(absl::Span<const MeshAxis> axes) {
  absl::flat_hash_set<absl::string_view> seen;
  for (const MeshAxis& axis : axes) {
    if (seen.insert(axis.name).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("two axes of the mesh have the name \"", axis.name, "\""));
  }
  return absl::OkStatus();
}

// Product of the sizes; -1 on overflow.
int64_t DeviceCount(absl::Span<const MeshAxis> axes) {
  int64_t product = 1;
  for (const MeshAxis& axis : axes) {
    if (!MultiplyFits(product, axis.size, &product)) return -1;
  }
  return product;
}

absl::Status CheckPermutation(absl::Span<const int64_t> ids, int64_t devices) {
  if (static_cast<int64_t>(ids.size()) != devices) {
    return absl::InvalidArgumentError(absl::StrCat("the mesh has ", devices, " devices, but ",
                                                   ids.size(), " device ids are given"));
  }
  std::vector<bool> seen(ids.size());
  for (int64_t id : ids) {
    if (id < devices && !seen[static_cast<size_t>(id)]) {
      seen[static_cast<size_t>(id)] = true;
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("device ids must be 0 to ", devices - 1, " in some order, each once; ", id,
                     id < devices ? " comes twice" : " is too large"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Mesh::Validate(absl::Span<const MeshAxis> axes, absl::Span<const int64_t> device_ids) {
  if (absl::Status s = CheckValues(axes, device_ids); !s.ok()) return s;
  if (axes.empty()) {
    if (device_ids.size() <= 1) return absl::OkStatus();
    return absl::InvalidArgumentError("a mesh without axes can hold one device id only");
  }
  if (absl::Status s = CheckNames(axes); !s.ok()) return s;
  if (device_ids.empty()) return absl::OkStatus();
  return CheckPermutation(device_ids, DeviceCount(axes));
}

absl::StatusOr<Mesh> Mesh::Create(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids) {
  if (absl::Status s = Validate(axes, device_ids); !s.ok()) return s;
  if (axes.size() > static_cast<size_t>(kMaxAxes)) {
    return absl::ResourceExhaustedError(absl::StrCat("a mesh of more than ", kMaxAxes, " axes"));
  }
  const int64_t devices = DeviceCount(axes);
  if (devices < 0 || devices > kMaxDevices) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a mesh of more than ", kMaxDevices, " devices"));
  }
  Mesh mesh;
  mesh.num_devices_ = devices;
  mesh.name_ranks_.resize(axes.size());
  std::vector<int> by_name(axes.size());
  std::iota(by_name.begin(), by_name.end(), 0);
  std::sort(by_name.begin(), by_name.end(), [&axes](int a, int b) {
    return axes[static_cast<size_t>(a)].name < axes[static_cast<size_t>(b)].name;
  });
  for (size_t rank = 0; rank < by_name.size(); ++rank) {
    mesh.name_ranks_[static_cast<size_t>(by_name[rank])] = static_cast<int>(rank);
  }
  mesh.axes_ = std::move(axes);
  if (mesh.axes_.empty() || !IsIota(device_ids)) mesh.device_ids_ = std::move(device_ids);
  return mesh;
}

Mesh Mesh::Maximal(int64_t device_id) {
  Mesh mesh;
  mesh.device_ids_ = {device_id};
  return mesh;
}

std::optional<int> Mesh::FindAxis(absl::string_view name) const {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::vector<int64_t> Mesh::DeviceOrder() const {
  if (!device_ids_.empty()) return device_ids_;
  std::vector<int64_t> order(static_cast<size_t>(num_devices_));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int64_t Mesh::DeviceAt(absl::Span<const int64_t> coordinate) const {
  int64_t position = 0;
  for (size_t i = 0; i < axes_.size(); ++i) position = position * axes_[i].size + coordinate[i];
  return device_ids_.empty() ? position : device_ids_[static_cast<size_t>(position)];
}

bool Mesh::has_size_one_axis() const {
  return std::any_of(axes_.begin(), axes_.end(), [](const MeshAxis& a) { return a.size == 1; });
}

absl::StatusOr<MeshId> MeshTable::Add(absl::string_view name, Mesh mesh) {
  const MeshId id = static_cast<MeshId>(entries_.size());
  if (!by_name_.emplace(name, id).second) {
    return absl::AlreadyExistsError(absl::StrCat("two meshes have the name @", name));
  }
  entries_.push_back({std::string(name), std::move(mesh), false});
  return id;
}

MeshId MeshTable::AddInlined(Mesh mesh) {
  for (size_t id = 0; id < entries_.size(); ++id) {
    if (entries_[id].inlined && entries_[id].mesh == mesh) return static_cast<MeshId>(id);
  }
  entries_.push_back({"", std::move(mesh), true});
  return static_cast<MeshId>(entries_.size() - 1);
}

std::optional<MeshId> MeshTable::Find(absl::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<MeshId> MeshTable::FindEqual(const Mesh& mesh) const {
  for (size_t id = 0; id < entries_.size(); ++id) {
    if (!entries_[id].inlined && entries_[id].mesh == mesh) return static_cast<MeshId>(id);
  }
  return std::nullopt;
}

}  // namespace tessera::sharding
