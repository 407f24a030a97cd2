// Copies between two layouts that move whole tiles.
//
//   // bf16[4,512,4,512]{3,1,2,0:T(8,128)(2,1)} -> {3,2,1,0:T(4,128)(2,1)}
//   TakeForTileCopy(from, to, &kernel);      // kernel.kind == kTileCopy, kernel.count == 8192
//
// Where the most minor dimension stays, every tile of the result is gathered from rows of others. The TPU
// compiler states a time for each tile, whatever its height: a tile of two rows is as dear as one of
// eight. Where the most minor dimension changes, it states the time of reading and writing.
// Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PRODUCTS_TILE_COPY_H_
#define TESSERA_TARGET_KERNELS_PRODUCTS_TILE_COPY_H_

#include "tessera/layout/shape.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// Does nothing where a layout has no tiles of two dimensions.
void TakeForTileCopy(const layout::Shape& from, const layout::Shape& to, DeviceKernel* kernel);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PRODUCTS_TILE_COPY_H_
