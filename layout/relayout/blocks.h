// How large the blocks of a transposition are.

#ifndef TESSERA_LAYOUT_RELAYOUT_BLOCKS_H_
#define TESSERA_LAYOUT_RELAYOUT_BLOCKS_H_

#include <cstdint>

#include "tessera/layout/relayout/axis.h"

namespace tessera::layout::relayout {

struct Blocks {
  Block rows;     // along the destination
  Block columns;  // along the source
};

// For elements of `width` bytes; `in_cache`: both sides stay in the caches.
Blocks BlocksFor(int64_t width, bool in_cache);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_BLOCKS_H_
