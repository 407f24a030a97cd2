// Copies between two layouts that move whole tiles.
//
//   // bf16[4,512,4,512]{3,1,2,0:T(8,128)(2,1)} -> {3,2,1,0:T(4,128)(2,1)}
//   TakeForTileCopy(from, to, &kernel);      // kernel.kind == kTileCopy, kernel.count == 8192
//
// Where the most minor dimension changes (kLaneCopy), it states a time for each tile that is read from HBM or written
// there. Three tiles of the fast memory take as long as one, if those are more. The TPU compiler states a time for
// each tile, whatever its height: a tile of two rows is as dear as one of eight. Where the most minor dimension
// changes (kLaneCopy), it states a time for each tile that is read from HBM or written there; three tiles of the fast
// memory take as long as one, if those are more. So it is within a tenth in 160 of 219 such copies between large
// arrays in 42 final modules. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PRODUCTS_TILE_COPY_H_
#define TESSERA_TARGET_KERNELS_PRODUCTS_TILE_COPY_H_

#include "tessera/layout/shape.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

// `kernel` has the accesses to both. Does nothing where a layout has no tiles of two dimensions.
void TakeForTileCopy(const layout::Shape& from, const layout::Shape& to, DeviceKernel* kernel);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PRODUCTS_TILE_COPY_H_
