// The offset of a projection as a sum of named parts. A window that walks backwards needs its
// offset for two things: to bring the walk back into the tensor, and to place the start of the
// window relative to the cell it belongs to. Only the first may change when an index axis is
// reversed, so the parts are kept apart:
//
//   Offsets o;
//   o.Set(OffsetRole::kRelative, {-1});   // a window of 3 that is centred on its anchor
//   o.Set(OffsetRole::kBounds, {9});      // x -> 9 - x
//   *o.Total(1)                           // [8]
//   *o.Anchor(1)                          // [9]: the total without the relative part
#ifndef TESSERA_PROJECTION_MAP_OFFSETS_H_
#define TESSERA_PROJECTION_MAP_OFFSETS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/core/point.h"

namespace tessera::projection {

// Which part of an offset, and so who may edit it mechanically.
enum class OffsetRole {
  kBounds,    // brings negative walks back into the tensor: changes of stride order
  kRelative,  // start of the window relative to the anchor: changes of window shape, flips of the
              // tensor
  kPad,       // low padding, as written in the operation: folding of pads
  kView,      // where the selection that the operation reads begins: selections
};
inline constexpr int kNumOffsetRoles = 4;

// "bounds", "relative", "pad", "view".
absl::string_view OffsetRoleName(OffsetRole role);

class Offsets {
 public:
  Offsets() = default;

  // The part of a role; of rank 0 when it was never set, which counts as zero.
  const ZPoint& Get(OffsetRole role) const { return roles_[static_cast<int>(role)]; }
  void Set(OffsetRole role, ZPoint value) { roles_[static_cast<int>(role)] = std::move(value); }
  // Parts under names of the author's own; nothing changes them.
  const std::vector<std::pair<std::string, ZPoint>>& user() const { return user_; }
  void AddUser(std::string name, ZPoint value) {
    user_.emplace_back(std::move(name), std::move(value));
  }

  // Sums over all parts, and over all but `relative`, for tensors of rank `rank`: kRankMismatch,
  // kOverflow.
  absl::StatusOr<ZPoint> Total(int rank) const;
  absl::StatusOr<ZPoint> Anchor(int rank) const;

  friend bool operator==(const Offsets& a, const Offsets& b);

 private:
  ZPoint roles_[kNumOffsetRoles];
  std::vector<std::pair<std::string, ZPoint>> user_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_OFFSETS_H_
