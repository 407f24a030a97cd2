#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "tessera/layout/relayout/kernels_x86.h"
#include "tessera/layout/relayout/scalar_loops.h"

namespace tessera::layout::relayout {
namespace {

struct Vec {
  using V = __m128i;
  static constexpr int kLanes = 1;

  static V Load(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const V*>(p)); }
  static void Store(uint8_t* p, V v) { _mm_storeu_si128(reinterpret_cast<V*>(p), v); }
  static void Stream(uint8_t* p, V v) { _mm_stream_si128(reinterpret_cast<V*>(p), v); }
  template <int kApart>
  static V Rows(const uint8_t* p, const int64_t* from) {
    return Load(p + from[0]);
  }
  template <int kWidth>
  static V Low(V a, V b) {
    if constexpr (kWidth == 1) return _mm_unpacklo_epi8(a, b);
    if constexpr (kWidth == 2) return _mm_unpacklo_epi16(a, b);
    if constexpr (kWidth == 4) return _mm_unpacklo_epi32(a, b);
    if constexpr (kWidth == 8) return _mm_unpacklo_epi64(a, b);
  }
  template <int kWidth>
  static V High(V a, V b) {
    if constexpr (kWidth == 1) return _mm_unpackhi_epi8(a, b);
    if constexpr (kWidth == 2) return _mm_unpackhi_epi16(a, b);
    if constexpr (kWidth == 4) return _mm_unpackhi_epi32(a, b);
    if constexpr (kWidth == 8) return _mm_unpackhi_epi64(a, b);
  }
};

#include "tessera/layout/relayout/kernels_x86.inc"

// Stores whole registers, one behind the other.
template <int kCount>
inline __attribute__((always_inline)) void StoreAll(uint8_t* to, const Vec::V (&v)[kCount],
                                                    bool stream) {
  TESSERA_UNROLL
  for (int i = 0; i < kCount; ++i) {
    stream ? Vec::Stream(to + 16 * i, v[i]) : Vec::Store(to + 16 * i, v[i]);
  }
}

template <int kWidth, int kFactor>
void Zip(const uint8_t* src, int64_t stride, uint8_t* dst, int64_t count, bool stream) {
  constexpr int kSide = 16 / kWidth;
  stream = stream && reinterpret_cast<uint64_t>(dst) % 16 == 0;
  int64_t at = 0;
  for (; at + kSide <= count; at += kSide) {
    Vec::V v[kFactor];
    TESSERA_UNROLL
    for (int r = 0; r < kFactor; ++r) v[r] = Vec::Load(src + r * stride + at * kWidth);
    TESSERA_UNROLL
    for (int round = 1; round < kFactor; round *= 2) Round<kWidth>(v);
    StoreAll(dst + at * kWidth * kFactor, v, stream);
  }
  ZipScalar<kWidth, kFactor>(src, stride, dst, at, count);
}

template <int kWidth, int kFactor>
void Unzip(const uint8_t* src, uint8_t* dst, int64_t stride, int64_t count, bool stream) {
  constexpr int kSide = 16 / kWidth;
  stream = stream && (reinterpret_cast<uint64_t>(dst) | stride) % 16 == 0;
  int64_t at = 0;
  for (; at + kSide <= count; at += kSide) {
    Vec::V v[kFactor];
    TESSERA_UNROLL
    for (int r = 0; r < kFactor; ++r) v[r] = Vec::Load(src + at * kWidth * kFactor + 16 * r);
    TESSERA_UNROLL
    for (int round = 1; round < kSide; round *= 2) Round<kWidth>(v);
    TESSERA_UNROLL
    for (int r = 0; r < kFactor; ++r) {
      uint8_t* const to = dst + r * stride + at * kWidth;
      stream ? Vec::Stream(to, v[r]) : Vec::Store(to, v[r]);
    }
  }
  UnzipScalar<kWidth, kFactor>(src, dst, stride, at, count);
}

}  // namespace

const Kernels& Sse2Kernels() {
  static constexpr Kernels kKernels = {
      "sse2",
      {Transpose<1>, Transpose<2>, Transpose<4>, Transpose<8>},
      {{Zip<1, 2>, Zip<1, 4>, Zip<1, 8>},
       {Zip<2, 2>, Zip<2, 4>, Zip<2, 8>},
       {Zip<4, 2>, Zip<4, 4>, Zip<4, 8>},
       {Zip<8, 2>, Zip<8, 4>, Zip<8, 8>}},
      {{Unzip<1, 2>, Unzip<1, 4>, Unzip<1, 8>},
       {Unzip<2, 2>, Unzip<2, 4>, Unzip<2, 8>},
       {Unzip<4, 2>, Unzip<4, 4>, Unzip<4, 8>},
       {Unzip<8, 2>, Unzip<8, 4>, Unzip<8, 8>}},
      Copy,
      [] { _mm_sfence(); },
  };
  return kKernels;
}

}  // namespace tessera::layout::relayout

#endif  // defined(__x86_64__)
