#if defined(__x86_64__)

// GCC 12 believes that its own intrinsics read what is not set.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#include <cstring>

#include "tessera/layout/relayout/kernels/kernels_x86.h"
#include "tessera/layout/relayout/kernels/scalar_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,prfchw"))), \
                                 apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,prfchw")
#endif

namespace tessera::layout::relayout {
namespace {

struct Vec {
  using V = __m512i;
  static constexpr int kLanes = 4;

  static V Load(const uint8_t* p) { return _mm512_loadu_si512(reinterpret_cast<const V*>(p)); }
  static void Store(uint8_t* p, V v) { _mm512_storeu_si512(reinterpret_cast<V*>(p), v); }
  static void Stream(uint8_t* p, V v) { _mm512_stream_si512(reinterpret_cast<V*>(p), v); }
  static void PrefetchForWrite(const uint8_t* p) { __builtin_prefetch(p, 1); }
  static __m128i Lane(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static V Broadcast(const uint8_t* lane) { return _mm512_broadcast_i32x4(Lane(lane)); }
  template <int kApart>
  static V Rows(const uint8_t* p, const int64_t* from) {
    V v = _mm512_castsi128_si512(Lane(p + from[0]));
    v = _mm512_inserti32x4(v, Lane(p + from[kApart]), 1);
    v = _mm512_inserti32x4(v, Lane(p + from[2 * kApart]), 2);
    return _mm512_inserti32x4(v, Lane(p + from[3 * kApart]), 3);
  }
  static V Order8(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                  int64_t h, V v) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(a, b, c, d, e, f, g, h), v);
  }
  // Double word l of lane k becomes double word k of lane l.
  static V Crossed(V v) {
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
  }
  // Piece 1 of 8 before piece 4, in each lane; and back.
  static V Halved(V v) {
    alignas(16) static constexpr uint8_t kOrder[] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                     4, 5, 12, 13, 6, 7, 14, 15};
    return Shuffle(v, Broadcast(kOrder));
  }
  static V Unhalved(V v) {
    alignas(16) static constexpr uint8_t kOrder[] = {0, 1, 4, 5, 8,  9,  12, 13,
                                                     2, 3, 6, 7, 10, 11, 14, 15};
    return Shuffle(v, Broadcast(kOrder));
  }
  template <int kPieces>
  static V Spread(V v) {
    if constexpr (kPieces == 2) return Order8(0, 4, 1, 5, 2, 6, 3, 7, v);
    if constexpr (kPieces == 4) return Crossed(v);
    return Crossed(Halved(v));
  }
  template <int kPieces>
  static V Gather(V v) {
    if constexpr (kPieces == 2) return Order8(0, 2, 4, 6, 1, 3, 5, 7, v);
    if constexpr (kPieces == 4) return Crossed(v);
    return Unhalved(Crossed(v));
  }
  TESSERA_VEC_MEMBERS(_mm512, si512)
};

#include "tessera/layout/relayout/kernels/kernels_x86.inc"
#include "tessera/layout/relayout/kernels/kernels_x86_rows.inc"

}  // namespace

const Kernels& Avx512Kernels() {
  static const Kernels kernels = KernelsNamed("avx512");
  return kernels;
}

}  // namespace tessera::layout::relayout

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
