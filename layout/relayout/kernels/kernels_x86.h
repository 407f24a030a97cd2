// The kernels for the vector units of x86-64; the CPU must have them.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_KERNELS_X86_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_KERNELS_X86_H_

#include "tessera/layout/relayout/kernels/kernels.h"

namespace tessera::layout::relayout {

const Kernels& Ssse3Kernels();
const Kernels& Avx2Kernels();
const Kernels& Avx512Kernels();

}  // namespace tessera::layout::relayout

// The same instructions by three names: members of Vec (kernels_x86.inc) whose intrinsics begin
// with P (_mm, _mm256, _mm512) and end with S (si128, ...) where they work on the whole register.
#define TESSERA_VEC_MEMBERS(P, S)                                                      \
  static V Shuffle(V v, V bytes) { return P##_shuffle_epi8(v, bytes); }                \
  static V And(V a, V b) { return P##_and_##S(a, b); }                                 \
  static V Or(V a, V b) { return P##_or_##S(a, b); }                                   \
  static V ShiftLeft4(V v) { return P##_slli_epi16(v, 4); }                            \
  static V ShiftRight4(V v) { return P##_srli_epi16(v, 4); }                           \
  static V Bytes(uint8_t value) { return P##_set1_epi8(static_cast<char>(value)); }    \
  static V Words(uint16_t value) { return P##_set1_epi16(static_cast<short>(value)); } \
  static V Narrow(V a, V b) { return P##_packus_epi16(a, b); }                         \
  template <int kWidth>                                                                \
  static V Low(V a, V b) {                                                             \
    if constexpr (kWidth == 1) return P##_unpacklo_epi8(a, b);                         \
    if constexpr (kWidth == 2) return P##_unpacklo_epi16(a, b);                        \
    if constexpr (kWidth == 4) return P##_unpacklo_epi32(a, b);                        \
    if constexpr (kWidth == 8) return P##_unpacklo_epi64(a, b);                        \
  }                                                                                    \
  template <int kWidth>                                                                \
  static V High(V a, V b) {                                                            \
    if constexpr (kWidth == 1) return P##_unpackhi_epi8(a, b);                         \
    if constexpr (kWidth == 2) return P##_unpackhi_epi16(a, b);                        \
    if constexpr (kWidth == 4) return P##_unpackhi_epi32(a, b);                        \
    if constexpr (kWidth == 8) return P##_unpackhi_epi64(a, b);                        \
  }

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_KERNELS_X86_H_
