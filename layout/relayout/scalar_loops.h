// The kernels as plain loops, for whole matrices and for what whole vectors leave over.

#ifndef TESSERA_LAYOUT_RELAYOUT_SCALAR_LOOPS_H_
#define TESSERA_LAYOUT_RELAYOUT_SCALAR_LOOPS_H_

#include <cstdint>
#include <cstring>

#include "tessera/layout/relayout/kernels.h"

namespace tessera::layout::relayout {

// Columns [first, last) of rows [begin, end).
template <int kWidth>
inline void TransposeScalar(const Matrix& m, int64_t begin, int64_t end, int64_t first,
                            int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(m.dst + m.to[j] + i * kWidth, m.src + m.from[i] + j * kWidth, kWidth);
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

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_SCALAR_LOOPS_H_
