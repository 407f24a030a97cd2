#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "tessera/layout/relayout/kernels/kernels_x86.h"
#include "tessera/layout/relayout/kernels/scalar_loops.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("ssse3")
#endif

namespace tessera::layout::relayout {
namespace {

struct Vec {
  using V = __m128i;
  static constexpr int kLanes = 1;

  static V Load(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const V*>(p)); }
  static void Store(uint8_t* p, V v) { _mm_storeu_si128(reinterpret_cast<V*>(p), v); }
  static void Stream(uint8_t* p, V v) { _mm_stream_si128(reinterpret_cast<V*>(p), v); }
  static void PrefetchForWrite(const uint8_t*) {}
  static V Broadcast(const uint8_t* lane) { return Load(lane); }
  template <int kApart>
  static V Rows(const uint8_t* p, const int64_t* from) {
    return Load(p + from[0]);
  }
  template <int kPieces>
  static V Spread(V v) {
    return v;
  }
  template <int kPieces>
  static V Gather(V v) {
    return v;
  }
  TESSERA_VEC_MEMBERS(_mm, si128)
};

#include "tessera/layout/relayout/kernels/kernels_x86.inc"
#include "tessera/layout/relayout/kernels/kernels_x86_rows.inc"

}  // namespace

const Kernels& Ssse3Kernels() {
  static const Kernels kernels = KernelsNamed("ssse3");
  return kernels;
}

}  // namespace tessera::layout::relayout

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // defined(__x86_64__)
