#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "tessera/layout/relayout/kernels/kernels_x86.h"
#include "tessera/layout/relayout/kernels/scalar_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,prfchw"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,prfchw")
#endif

namespace tessera::layout::relayout {
namespace {

struct Vec {
  using V = __m256i;
  static constexpr int kLanes = 2;

  static V Load(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
  static void Store(uint8_t* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
  static void Stream(uint8_t* p, V v) { _mm256_stream_si256(reinterpret_cast<V*>(p), v); }
  // PREFETCHW; the few CPUs with these vectors that lack it do nothing there.
  static void PrefetchForWrite(const uint8_t* p) { __builtin_prefetch(p, 1); }
  static __m128i Lane(const uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static V Broadcast(const uint8_t* lane) { return _mm256_broadcastsi128_si256(Lane(lane)); }
  template <int kApart>
  static V Rows(const uint8_t* p, const int64_t* from) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Lane(p + from[0])),
                                   Lane(p + from[kApart]), 1);
  }
  // Even pieces in front of odd ones, in each lane; and back.
  template <int kPieces>
  static V Sorted(V v) {
    if constexpr (kPieces == 2) return v;
    if constexpr (kPieces == 4) return _mm256_shuffle_epi32(v, 0b11011000);
    alignas(16) static constexpr uint8_t kOrder[] = {0, 1, 4, 5, 8,  9,  12, 13,
                                                     2, 3, 6, 7, 10, 11, 14, 15};
    return Shuffle(v, Broadcast(kOrder));
  }
  template <int kPieces>
  static V Unsorted(V v) {
    if constexpr (kPieces == 2) return v;
    if constexpr (kPieces == 4) return _mm256_shuffle_epi32(v, 0b11011000);
    alignas(16) static constexpr uint8_t kOrder[] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                     4, 5, 12, 13, 6, 7, 14, 15};
    return Shuffle(v, Broadcast(kOrder));
  }
  template <int kPieces>
  static V Spread(V v) {
    return _mm256_permute4x64_epi64(Sorted<kPieces>(v), 0b11011000);
  }
  template <int kPieces>
  static V Gather(V v) {
    return Unsorted<kPieces>(_mm256_permute4x64_epi64(v, 0b11011000));
  }
  TESSERA_VEC_MEMBERS(_mm256, si256)
};

#include "tessera/layout/relayout/kernels/kernels_x86.inc"
#include "tessera/layout/relayout/kernels/kernels_x86_rows.inc"

}  // namespace

const Kernels& Avx2Kernels() {
  static const Kernels kernels = KernelsNamed("avx2");
  return kernels;
}

}  // namespace tessera::layout::relayout

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
