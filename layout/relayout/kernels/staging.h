// How lines of a source are made ready, in a small buffer, for the transposition that follows.
//
// The kernels transpose elements of whole bytes that are adjacent in the source. The buffer makes
// them so on the way:
//
//   kEvery   the source has gaps between elements, such as one row of bf16 under (2,1)
//   kPair    two rows of 4-bit elements make one row of bytes
//   kHalf    one row of bytes makes two rows of 4-bit elements, a byte each

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_STAGING_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_STAGING_H_

#include <cstdint>

namespace tessera::layout::relayout {

inline constexpr int64_t kStagedLine = 64;  // bytes
inline constexpr int64_t kStagedRows = 64;  // so many lines at a time

enum class StageKind : uint8_t { kNone, kEvery, kPair, kHalf };

struct Staging {
  StageKind kind = StageKind::kNone;
  int64_t width = 1;  // bytes of an element
  int64_t step = 1;   // kEvery: bytes from one element to the next; else the width
  // kPair: bytes from the row whose elements come low to the one whose elements come high.
  int64_t apart = 0;
  // kPair, kHalf: which half of the source's bytes is wanted, 0 the low one. If `halves` is 2, both
  // are, in turn; the high one goes dst_apart bytes further.
  int half = 0;
  int halves = 1;
  int64_t dst_apart = 0;
};

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_STAGING_H_
