// How large the blocks of a transposition are.

#ifndef TESSERA_LAYOUT_RELAYOUT_KERNELS_BLOCKS_H_
#define TESSERA_LAYOUT_RELAYOUT_KERNELS_BLOCKS_H_

#include <cstdint>

#include "tessera/layout/relayout/kernels/axis.h"

namespace tessera::layout::relayout {

struct Blocks {
  Block rows;     // along the destination
  Block columns;  // along the source
};

// Where both sides of the transposition have room.
enum class WorkingSetLevel : uint8_t { kSecondCache, kLastCache, kMemory };

// For elements of `width` bytes.
Blocks BlocksFor(int64_t width, WorkingSetLevel room);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_KERNELS_BLOCKS_H_
