// The errors of index arithmetic. Each is an absl::Status that also carries which of the conditions
// below it is:
//
//   absl::StatusOr<ZRange> range = ZRange::Create({1}, {0});
//   range.status().message()      // "start [1] must be <= end [0]"
//   ErrorCodeOf(range.status())   // ErrorCode::kBadRange
#ifndef TESSERA_PROJECTION_CORE_ERROR_H_
#define TESSERA_PROJECTION_CORE_ERROR_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::projection {

enum class ErrorCode {
  kRankMismatch,    // a point, offset, shape, step or map of another rank than the place asks for
  kBadRange,        // some start above its end
  kBadShape,        // a region with an extent below 1
  kBadStep,         // a region step or a dilation below 1
  kBadDim,          // a dimension index outside [-rank, rank)
  kBadPermutation,  // not a permutation of 0..rank-1
  kBadChunk,        // a chunk below 1, or chunks that do not sum to the extent
  kEmptyList,       // the bounding box of no box
  kOverflow,        // a value that does not fit int64_t
  kOutOfBounds,     // a cell outside the tensor where the policy forbids it
  kNotInjective,    // two indices that write the same cell
  kNotCovering,     // a result cell that no index writes
  kNotSupported,    // an operation, an axis or a policy that cannot do what was asked
  kTooLarge,        // an exact set of more pieces than the caller allows
  kParse,           // text that is not what it should be
};

// "kBadRange" and so on.
absl::string_view ErrorCodeName(ErrorCode code);

absl::Status MakeError(ErrorCode code, absl::string_view message);

// MakeError(kOverflow, "<what> does not fit 64 bits").
absl::Status OverflowError(absl::string_view what);

// The code of a status made here; none for ok and for foreign statuses.
std::optional<ErrorCode> ErrorCodeOf(const absl::Status& status);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_ERROR_H_
