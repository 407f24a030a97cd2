// The treatment of a coordinate outside the tensor. For a tensor of extent T, after dilation:
//
//   policy     outside [0, T)
//   kForbid    an error
//   kTorus     wraps around: v mod T
//   kNegative  -T <= v < 0 counts from the end: v + T; else an error (the rule of numpy)
//   kPad       no cell, but a read of the padding value
//   kDrop      no cell and no read: the tap does not exist (convolution, concatenate)
//   kClamp     the nearest cell
#ifndef TESSERA_PROJECTION_MAP_POLICY_H_
#define TESSERA_PROJECTION_MAP_POLICY_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/set/axis_set.h"

namespace tessera::projection {

enum class OutOfBoundsPolicy { kForbid, kTorus, kNegative, kPad, kDrop, kClamp };

absl::string_view PolicyName(OutOfBoundsPolicy policy);  // "forbid" ...

// The cells that the positions `set` select in an extent of `extent` >= 0. kOutOfBounds, kTooLarge.
absl::StatusOr<AxisSet> ApplyPolicy(OutOfBoundsPolicy policy, const AxisSet& set, int64_t extent,
                                    int64_t limit = kDefaultLimit);

// The same for one position; none when there is no cell.
absl::StatusOr<std::optional<int64_t>> ApplyPolicy(OutOfBoundsPolicy policy, int64_t position,
                                                   int64_t extent);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_POLICY_H_
