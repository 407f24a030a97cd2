// Loops so close to the elements that they become part of them, at the price of a permutation of
// bytes or bits on the way (staging.h).

#ifndef TESSERA_LAYOUT_RELAYOUT_FOLD_H_
#define TESSERA_LAYOUT_RELAYOUT_FOLD_H_

#include <optional>

#include "tessera/layout/relayout/nest.h"
#include "tessera/layout/relayout/staging.h"

namespace tessera::layout::relayout {

struct Folded {
  Nest nest;
  Staging staging;
};

// Two loops that together run over adjacent elements on both sides, in either order: p x q elements
// of w bytes become one of p*q*w <= 16 bytes. bf16 T(8,128)(2,1) with rows and columns exchanged:
// 2 x 2 elements of 2 bytes are 8 bytes. Nothing without such loops.
std::optional<Folded> FoldSquare(const Nest& nest);

// Elements of 4 bits on one side or both become bytes. The pair of elements that share a byte of
// the destination comes from two source bytes, `apart` from each other; those that share a byte of
// the source go to bytes `dst_apart`. Nothing if a pair is not whole or bytes are not aligned.
std::optional<Folded> FoldNibbles(const Nest& nest);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_FOLD_H_
