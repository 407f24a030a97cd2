#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "tessera/layout/relayout/kernels_x86.h"
#include "tessera/layout/relayout/scalar_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace tessera::layout::relayout {
namespace {

struct Vec {
  using V = __m256i;
  static constexpr int kLanes = 2;

  static V Load(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
  static void Store(uint8_t* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
  static void Stream(uint8_t* p, V v) { _mm256_stream_si256(reinterpret_cast<V*>(p), v); }
  static __m128i Lane(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  template <int kApart>
  static V Rows(const uint8_t* p, const int64_t* from) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Lane(p + from[0])),
                                   Lane(p + from[kApart]), 1);
  }
  template <int kWidth>
  static V Low(V a, V b) {
    if constexpr (kWidth == 1) return _mm256_unpacklo_epi8(a, b);
    if constexpr (kWidth == 2) return _mm256_unpacklo_epi16(a, b);
    if constexpr (kWidth == 4) return _mm256_unpacklo_epi32(a, b);
    if constexpr (kWidth == 8) return _mm256_unpacklo_epi64(a, b);
  }
  template <int kWidth>
  static V High(V a, V b) {
    if constexpr (kWidth == 1) return _mm256_unpackhi_epi8(a, b);
    if constexpr (kWidth == 2) return _mm256_unpackhi_epi16(a, b);
    if constexpr (kWidth == 4) return _mm256_unpackhi_epi32(a, b);
    if constexpr (kWidth == 8) return _mm256_unpackhi_epi64(a, b);
  }
};

#include "tessera/layout/relayout/kernels_x86.inc"

}  // namespace
}  // namespace tessera::layout::relayout

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace tessera::layout::relayout {

const Kernels& Avx2Kernels() {
  static const Kernels kernels = [] {
    Kernels k = Sse2Kernels();
    k.name = "avx2";
    k.transpose[0] = Transpose<1>;
    k.transpose[1] = Transpose<2>;
    k.transpose[2] = Transpose<4>;
    k.transpose[3] = Transpose<8>;
    k.copy = Copy;
    return k;
  }();
  return kernels;
}

}  // namespace tessera::layout::relayout

#endif  // defined(__x86_64__)
