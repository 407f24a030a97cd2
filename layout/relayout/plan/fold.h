// Fuses the innermost loops into one wider element, at the price of a permutation of
// bytes or bits on the way.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_FOLD_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_FOLD_H_

#include <array>
#include <cstdint>
#include <optional>

#include "tessera/layout/relayout/kernels/staging.h"
#include "tessera/layout/relayout/plan/nest.h"

namespace tessera::layout::relayout {

// Two loops that together run over adjacent elements on both sides, in either order. Their p x q
// elements of w bytes become one of p*q*w <= 16 bytes. bf16 T(8,128)(2,1) with rows and columns
// exchanged: 2 x 2 elements of 2 bytes are 8 bytes. Byte b of 16 bytes of such elements comes from
// byte shuffle[b]. Nothing without such loops.
struct FoldedSquare {
  Nest nest;
  std::array<uint8_t, 16> shuffle{};
};
std::optional<FoldedSquare> FoldSquare(const Nest& nest);

// Elements of 4 bits on one side or both become bytes. The pair of elements that share a byte of
// the destination comes from two source bytes, `apart` from each other; those that share a byte of
// the source go to bytes `dst_apart`. Nothing if a pair is not whole or bytes are not aligned.
struct FoldedNibbles {
  Nest nest;
  Staging staging;
};
std::optional<FoldedNibbles> FoldNibbles(const Nest& nest);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_FOLD_H_
