// Meshes: named axes over a grid of devices.
//
//   absl::StatusOr<Mesh> mesh = Mesh::Create({{"data", 4}, {"model", 2}});
//   mesh->num_devices();          // 8
//   mesh->FindAxis("model");      // 1
//   mesh->DeviceAt({3, 0});       // 6: row-major, the first axis is the most major one
//
//   MeshTable meshes;
//   absl::StatusOr<MeshId> id = meshes.Add("mesh", *mesh);
//   meshes.mesh(*id).axis(0).name;  // "data"
//
// A mesh is one of three kinds:
//
//   kind     axes         device ids             meaning
//   empty    none         none                   placeholder, compatible with every other mesh
//   maximal  none         exactly one            the value lives on that single device
//   normal   one or more  none or a permutation  device c lives at row-major position c, or at
//                                                position p of `device_ids` lives device_ids[p]
//
// Everything else in this package names an axis by its index in the mesh, never by its name.

#ifndef TESSERA_SHARDING_MESH_H_
#define TESSERA_SHARDING_MESH_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::sharding {

struct MeshAxis {
  std::string name;  // any text, blanks and quotes included
  int64_t size = 1;  // at least 1

  friend bool operator==(const MeshAxis& a, const MeshAxis& b) {
    return a.size == b.size && a.name == b.name;
  }
  friend bool operator!=(const MeshAxis& a, const MeshAxis& b) { return !(a == b); }
};

// Immutable once made; equality compares axes (names and sizes, in order) and device order.
class Mesh {
 public:
  // Bounds that let an AxisRef fit into one machine word. Both are far above any real machine.
  static constexpr int kMaxAxes = 4096;
  static constexpr int64_t kMaxDevices = int64_t{1} << 26;

  // The empty mesh.
  Mesh() = default;

  // A mesh of these axes. `device_ids` empty, or equal to 0, 1, 2, ..: the plain order. No axes and
  // one id: a maximal mesh.
  // InvalidArgument when Validate() below finds a fault, ResourceExhausted above the bounds.
  static absl::StatusOr<Mesh> Create(std::vector<MeshAxis> axes,
                                     std::vector<int64_t> device_ids = {});

  // Checks the rules of a mesh in a fixed order; the first fault wins. Sizes are at least 1, ids
  // not negative, at most one id stands without axes, and names are unique. There are as many ids
  // as devices, and they are a permutation of 0, 1, 2, ... Needs no bounds, so that any text can be
  // judged.
  static absl::Status Validate(absl::Span<const MeshAxis> axes,
                               absl::Span<const int64_t> device_ids);

  // The mesh of one single device (`device_id` >= 0).
  static Mesh Maximal(int64_t device_id);

  absl::Span<const MeshAxis> axes() const { return axes_; }
  int num_axes() const { return static_cast<int>(axes_.size()); }
  const MeshAxis& axis(int index) const { return axes_[static_cast<size_t>(index)]; }
  int64_t axis_size(int index) const { return axes_[static_cast<size_t>(index)].size; }

  // Position of the axis of that name; none when the mesh has no such axis.
  std::optional<int> FindAxis(absl::string_view name) const;

  // Position of the axis among all axes sorted bytewise by name. The "canonical" order of axis
  // references goes by names; this makes it a comparison of two integers.
  int name_rank(int index) const { return name_ranks_[static_cast<size_t>(index)]; }

  bool is_empty() const { return axes_.empty() && device_ids_.empty(); }
  bool is_maximal() const { return axes_.empty() && device_ids_.size() == 1; }
  // A mesh whose axes are all of size 1 is not maximal.
  int64_t maximal_device_id() const { return device_ids_.front(); }

  // The explicit device order; empty when it is 0, 1, 2, ...
  absl::Span<const int64_t> device_ids() const { return device_ids_; }
  // Product of the axis sizes: 1 for the empty and for a maximal mesh.
  int64_t num_devices() const { return num_devices_; }
  // All devices in grid order, row-major over the axes, also when the order is plain.
  std::vector<int64_t> DeviceOrder() const;
  // The device at one coordinate per axis, each within its axis.
  int64_t DeviceAt(absl::Span<const int64_t> coordinate) const;

  bool has_size_one_axis() const;
  // Same axes, whatever the device order.
  bool SameAxes(const Mesh& other) const { return axes_ == other.axes_; }

  friend bool operator==(const Mesh& a, const Mesh& b) {
    return a.axes_ == b.axes_ && a.device_ids_ == b.device_ids_;
  }
  friend bool operator!=(const Mesh& a, const Mesh& b) { return !(a == b); }

 private:
  std::vector<MeshAxis> axes_;
  std::vector<int> name_ranks_;
  std::vector<int64_t> device_ids_;
  int64_t num_devices_ = 1;
};

// A mesh of a MeshTable.
using MeshId = uint32_t;

// The mesh of a sharding that names none (a tensor without a sharding attribute).
inline constexpr MeshId kNoMesh = 0xffffffffu;

// The meshes of one module. Ids are dense, from 0, and never change their meaning; references to
// meshes stay valid as long as the table lives.
class MeshTable {
 public:
  MeshTable() = default;
  MeshTable(MeshTable&&) = default;
  MeshTable& operator=(MeshTable&&) = default;

  // A mesh with a symbol. AlreadyExists when the table has that symbol.
  absl::StatusOr<MeshId> Add(absl::string_view name, Mesh mesh);
  // A mesh that is written out where it is used. Equal ones share an id, never that of a symbol.
  MeshId AddInlined(Mesh mesh);

  std::optional<MeshId> Find(absl::string_view name) const;
  // First symbol whose mesh equals this one.
  std::optional<MeshId> FindEqual(const Mesh& mesh) const;

  const Mesh& mesh(MeshId id) const { return entries_[id].mesh; }
  // The symbol without `@`; empty for an inlined mesh.
  const std::string& name(MeshId id) const { return entries_[id].name; }
  bool is_inlined(MeshId id) const { return entries_[id].inlined; }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string name;
    Mesh mesh;
    bool inlined = false;
  };
  std::deque<Entry> entries_;
  absl::flat_hash_map<std::string, MeshId> by_name_;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_H_
