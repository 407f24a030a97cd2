// The kernels as plain loops, for whole matrices and for what whole vectors leave over.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_SCALAR_LOOPS_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_SCALAR_LOOPS_H_

#include <cstdint>
#include <cstring>

#include "tessera/layout/relayout/kernels/kernels.h"

namespace tessera::layout::relayout {

// Columns [first, last) of rows [begin, end).
template <int kWidth>
inline void TransposeScalar(const Matrix& m, int64_t begin, int64_t end, int64_t first,
                            int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    for (int64_t i = begin; i < end; ++i) {
      const uint8_t* const src = m.src + m.from[i] + j * kWidth;
      uint8_t* const dst = m.dst + m.to[j] + i * kWidth;
      if (m.shuffle == nullptr) {
        std::memcpy(dst, src, kWidth);
      } else {
        for (int b = 0; b < kWidth; ++b) dst[b] = src[m.shuffle[b]];
      }
    }
  }
}

template <int kWidth, int kFactor>
inline void ZipScalar(const uint8_t* src, int64_t stride, uint8_t* dst, int64_t first,
                      int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    for (int r = 0; r < kFactor; ++r) {
      std::memcpy(dst + (i * kFactor + r) * kWidth, src + r * stride + i * kWidth, kWidth);
    }
  }
}

template <int kWidth, int kFactor>
inline void UnzipScalar(const uint8_t* src, uint8_t* dst, int64_t stride, int64_t first,
                        int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    for (int r = 0; r < kFactor; ++r) {
      std::memcpy(dst + r * stride + i * kWidth, src + (i * kFactor + r) * kWidth, kWidth);
    }
  }
}

// Byte `at` of the row that `how` makes from the one at `src`.
inline uint8_t StagedByte(const Staging& how, const uint8_t* src, int64_t at) {
  switch (how.kind) {
    case StageKind::kEvery:
      return src[at / how.width * how.step + at % how.width];
    case StageKind::kPair: {
      const uint8_t low = src[at], high = src[at + how.apart];
      return static_cast<uint8_t>(how.half != 0 ? low >> 4 | (high & 0xf0)
                                                : (low & 0xf) | high << 4);
    }
    case StageKind::kHalf:
      return static_cast<uint8_t>(how.half != 0 ? src[at] >> 4 : src[at] & 0xf);
    case StageKind::kNone:
      break;
  }
  return src[at];
}

inline void StageScalar(const Staging& how, const uint8_t* src, int64_t first, int64_t last,
                        uint8_t* out) {
  for (int64_t at = first; at < last; ++at) out[at] = StagedByte(how, src, at);
}

inline void PackScalar(const uint8_t* src, uint8_t* dst, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    dst[i] = static_cast<uint8_t>((src[2 * i] & 0xf) | src[2 * i + 1] << 4);
  }
}

inline void UnpackScalar(const uint8_t* src, uint8_t* dst, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    const uint8_t both = src[i];
    dst[2 * i] = both & 0xf;
    dst[2 * i + 1] = both >> 4;
  }
}

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_SCALAR_LOOPS_H_
