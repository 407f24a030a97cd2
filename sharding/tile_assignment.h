// Which device holds which tile: a grid of device numbers.
//
//   TileAssignment a = *TileAssignment::Iota({4, 2}, {2, 4}, {1, 0});   // [4,2]<=[2,4]T(1,0)
//   a.DeviceAt({1, 0});    // 1: iota(8) as a 2x4 grid, transposed to 4x2, read at (1, 0)
//   a.ToString();          // "[4,2]<=[2,4]T(1,0)"
//
// Two forms: an *iota* (0, 1, 2, .. as a grid `reshape_dims`, its axes permuted, then reshaped to
// `dims`), or a *list* of devices, row-major over `dims`. Iotas are kept in a canonical form (no
// axis of size 1, no two axes that stay together), so that equal ones look equal. A list never
// becomes an iota: XLA tells them apart. But a list that an iota describes is kept as its axes,
// too. So each step on it costs no more than on an iota.

#ifndef TESSERA_SHARDING_TILE_ASSIGNMENT_H_
#define TESSERA_SHARDING_TILE_ASSIGNMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh/iota_axes.h"

namespace tessera::sharding {

class TileAssignment {
 public:
  // Most devices that an assignment may have; the same bound as a mesh's.
  static constexpr int64_t kMaxDevices = int64_t{1} << 26;

  // One tile on device 0.
  TileAssignment() : dims_{1}, iota_{{1}, {0}} {}

  // The plain order 0, 1, 2, ..: `dims` must be positive, their product at most kMaxDevices.
  static TileAssignment Plain(absl::Span<const int64_t> dims);
  // InvalidArgument unless dims and reshape_dims are positive with equal products and `perm` is a
  // permutation of the axes of reshape_dims.
  static absl::StatusOr<TileAssignment> Iota(absl::Span<const int64_t> dims,
                                             absl::Span<const int64_t> reshape_dims,
                                             absl::Span<const int64_t> perm);
  // InvalidArgument unless there are as many devices as tiles, each not negative and only once.
  static absl::StatusOr<TileAssignment> List(absl::Span<const int64_t> dims,
                                             std::vector<int64_t> devices);

  const Dims& dims() const { return dims_; }
  int num_dims() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  int64_t num_devices() const;

  bool is_iota() const { return !is_list_; }
  bool is_plain() const { return is_iota() && reshape_dims().size() == 1; }
  // An iota, or a list that one describes.
  bool has_axes() const { return devices_ == nullptr; }
  const Dims& reshape_dims() const { return iota_.reshape_dims; }  // if it has axes
  const Dims& perm() const { return iota_.perm; }                  // if it has axes
  // The same in the form of a list, or of an iota, which must have axes.
  TileAssignment AsList() const;
  TileAssignment AsIota() const;

  // The device of a tile, and of the tile with that row-major number.
  int64_t DeviceAt(absl::Span<const int64_t> index) const;
  int64_t DeviceAtLinear(int64_t linear) const;
  // All devices, row-major.
  std::vector<int64_t> Devices() const;
  // Of each device from 0 on its index along the dimension; -1 of one that has no tile.
  std::vector<int64_t> IndicesAlong(int64_t dim) const;
  // The tile of a device, which must be one of the assignment's. Linear in the devices for a list.
  Dims IndexOf(int64_t device) const;

  // The same devices under other dimensions of the same product.
  TileAssignment Reshape(absl::Span<const int64_t> dims) const;
  // The grid with its dimensions permuted: new dimension i is old dimension perm[i]. Stays an iota
  // where that is possible, else becomes a list.
  TileAssignment Transpose(absl::Span<const int64_t> perm) const;
  // The devices within each run of `group_size` along the minor dimensions, sorted: used where
  // their order means nothing. An iota stays one where that is possible.
  TileAssignment SortMinorGroups(int64_t group_size) const;

  // `[2,4]<=[8]`, `[2,2]<=[2,2]T(1,0)`, `[2]1,0`.
  std::string ToString() const;

  // The same dimensions and the same devices, in whatever form.
  friend bool operator==(const TileAssignment& a, const TileAssignment& b);
  friend bool operator!=(const TileAssignment& a, const TileAssignment& b) { return !(a == b); }

 private:
  TileAssignment(absl::Span<const int64_t> dims, IotaAxes iota, bool is_list = false);
  TileAssignment(absl::Span<const int64_t> dims, std::vector<int64_t> devices);
  std::vector<int64_t> IndicesTileByTile(int64_t stride, int64_t size) const;

  Dims dims_;
  IotaAxes iota_;                                        // none if devices are listed
  std::shared_ptr<const std::vector<int64_t>> devices_;  // null if there are axes
  bool is_list_ = false;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TILE_ASSIGNMENT_H_
