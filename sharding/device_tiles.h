// Which part of a tensor each device of a mesh holds: the one place that works it out.
//
//   // mesh x=4, y=2; [{x}, {y}] of 16 x 8
//   DeviceGrid grid(mesh);
//   *grid.Tile({16, 8}, sharding, 3)     // position 3 is (1, 1): {4, 8}, {4, 8}
//
// Shardings in the text of HLO (geometry.h) and the boxes of projections come here with the number
// of a part. A dimension of n elements in k parts is cut into tiles of ceil(n / k), late ones short
// or empty: 9 in 4 parts are 3, 3, 3 and 0.
//
// A sharding on a mesh of a single device (no axes) gives that device everything and the others
// nothing; the grid must know such meshes:
//
//   DeviceGrid grid(mesh, meshes);       // meshes.mesh(s.mesh_id()) is maximal, of device 5
//
// Devices are counted by their row-major position in the mesh; DeviceAt() gives the number that the
// mesh's own list has there. Tested by geometry_test.cc and the families sharding_geometry and
// projection_comm.

#ifndef TESSERA_SHARDING_DEVICE_TILES_H_
#define TESSERA_SHARDING_DEVICE_TILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

// Elements first .. limit - 1 of one dimension.
struct TileRange {
  int64_t first = 0;
  int64_t limit = 0;

  friend bool operator==(const TileRange& a, const TileRange& b) {
    return a.first == b.first && a.limit == b.limit;
  }
};

// Of a dimension of `size` elements in `parts` (at least 1): the size of the full tiles, and the
// tile of part `index`.
int64_t TileSize(int64_t size, int64_t parts);
TileRange TileOfPart(int64_t size, int64_t parts, int64_t index);

class DeviceGrid {
 public:
  explicit DeviceGrid(const Mesh& mesh, const MeshTable& meshes = {});

  int64_t num_devices() const { return static_cast<int64_t>(ids_.size()); }
  int64_t DeviceAt(int64_t position) const { return ids_[static_cast<size_t>(position)]; }
  const Mesh& mesh() const { return mesh_; }

  // The coordinate of a position along an axis or sub-axis, major first.
  int64_t Coordinate(int64_t position, AxisRef axis) const;
  // Which of the parts of a dimension with these axes a position holds.
  int64_t PartIndex(int64_t position, absl::Span<const AxisRef> axes) const;

  // The device that a tensor lives on alone; nothing for a sharding with axes.
  std::optional<int64_t> OnlyDevice(const TensorSharding& sharding) const;
  // A range for each dimension, all of them empty on a device that holds nothing. A scalar has
  // none: it counts as held by every device. InvalidArgument if the ranks differ.
  absl::StatusOr<std::vector<TileRange>> Tile(absl::Span<const int64_t> shape,
                                              const TensorSharding& sharding,
                                              int64_t position) const;
  // The extents of the largest tile. InvalidArgument if the ranks differ.
  absl::StatusOr<std::vector<int64_t>> TileShape(absl::Span<const int64_t> shape,
                                                 const TensorSharding& sharding) const;

 private:
  Mesh mesh_;
  absl::flat_hash_map<MeshId, int64_t> only_device_;  // of meshes of one device
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
                                   absl::Span<const TensorSharding* const> shardings);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_DEVICE_TILES_H_
