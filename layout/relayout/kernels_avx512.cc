#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "tessera/layout/relayout/kernels_x86.h"
#include "tessera/layout/relayout/scalar_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw")
#endif

namespace tessera::layout::relayout {
namespace {

struct Vec {
  using V = __m512i;
  static constexpr int kLanes = 4;

  static V Load(const uint8_t* p) { return _mm512_loadu_si512(reinterpret_cast<const V*>(p)); }
  static void Store(uint8_t* p, V v) { _mm512_storeu_si512(reinterpret_cast<V*>(p), v); }
  static void Stream(uint8_t* p, V v) { _mm512_stream_si512(reinterpret_cast<V*>(p), v); }
  static __m128i Lane(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  template <int kApart>
  static V Rows(const uint8_t* p, const int64_t* from) {
    V v = _mm512_castsi128_si512(Lane(p + from[0]));
    v = _mm512_inserti32x4(v, Lane(p + from[kApart]), 1);
    v = _mm512_inserti32x4(v, Lane(p + from[2 * kApart]), 2);
    return _mm512_inserti32x4(v, Lane(p + from[3 * kApart]), 3);
  }
  template <int kWidth>
  static V Low(V a, V b) {
    if constexpr (kWidth == 1) return _mm512_unpacklo_epi8(a, b);
    if constexpr (kWidth == 2) return _mm512_unpacklo_epi16(a, b);
    if constexpr (kWidth == 4) return _mm512_unpacklo_epi32(a, b);
    if constexpr (kWidth == 8) return _mm512_unpacklo_epi64(a, b);
  }
  template <int kWidth>
  static V High(V a, V b) {
    if constexpr (kWidth == 1) return _mm512_unpackhi_epi8(a, b);
    if constexpr (kWidth == 2) return _mm512_unpackhi_epi16(a, b);
    if constexpr (kWidth == 4) return _mm512_unpackhi_epi32(a, b);
    if constexpr (kWidth == 8) return _mm512_unpackhi_epi64(a, b);
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

const Kernels& Avx512Kernels() {
  static const Kernels kernels = [] {
    Kernels k = Sse2Kernels();
    k.name = "avx512";
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
