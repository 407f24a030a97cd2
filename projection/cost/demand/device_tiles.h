// File: projection/cost/demand/device_tiles.h
//
// Which part of a tensor each device of a mesh holds.
//
//   // mesh x=4, y=2; [[x], [y]] on 16 x 8
//   DeviceGrid grid(mesh);
//   *grid.Tile({16, 8}, sharding, 3)     // position 3 is (1, 1): zr[4:8, 4:8]
//
// A sharding on a mesh of a single device (no axes) gives that device everything and the others
// nothing; the grid must know such meshes:
//
//   DeviceGrid grid(mesh, meshes);       // meshes.mesh(s.mesh_id()) is maximal, of device 5
//
// Devices are counted by their row-major position in the mesh; DeviceAt() gives the number that the
// mesh's own list has there. A dimension over parts s_1..s_k is cut into ceil tiles, late ones
// short or empty.
#ifndef TESSERA_PROJECTION_COST_DEMAND_DEVICE_TILES_H_
#define TESSERA_PROJECTION_COST_DEMAND_DEVICE_TILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/projection/core/range.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::projection {

class DeviceGrid {
 public:
  explicit DeviceGrid(const sharding::Mesh& mesh, const sharding::MeshTable& meshes = {});

  int64_t num_devices() const { return static_cast<int64_t>(ids_.size()); }
  int64_t DeviceAt(int64_t position) const { return ids_[static_cast<size_t>(position)]; }
  const sharding::Mesh& mesh() const { return mesh_; }

  // The coordinate of a position along an axis or sub-axis, major first.
  int64_t Coordinate(int64_t position, sharding::AxisRef axis) const;
  // Which of the parts of a dimension with these axes a position holds.
  int64_t PartIndex(int64_t position, absl::Span<const sharding::AxisRef> axes) const;

  // The device that a tensor lives on alone; nothing for a sharding with axes.
  std::optional<int64_t> OnlyDevice(const sharding::TensorSharding& sharding) const;
  // kRankMismatch. A scalar has no empty range: it counts as held by every device.
  absl::StatusOr<ZRange> Tile(const ZPoint& shape, const sharding::TensorSharding& sharding,
                              int64_t position) const;
  // The extents of the largest tile.
  absl::StatusOr<ZPoint> TileShape(const ZPoint& shape,
                                   const sharding::TensorSharding& sharding) const;

 private:
  sharding::Mesh mesh_;
  absl::flat_hash_map<sharding::MeshId, int64_t> only_device_;  // of meshes of one device
  std::vector<int64_t> ids_;
  std::vector<int64_t> weights_;  // of each axis in a position
};

// Devices with equal answers, computed once: positions grouped by their coordinates on the axes
// that some of the shardings uses; a device that holds a tensor alone is a class of its own.
struct DeviceClass {
  int64_t representative;          // a position
  std::vector<int64_t> positions;  // all of them, ascending
};
std::vector<DeviceClass> ClassesOf(const DeviceGrid& grid,
                                   absl::Span<const sharding::TensorSharding* const> shardings);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_DEVICE_TILES_H_
