// Copies on TPUs where features become heads while positions become chunks, and back, as in state-space duality:
//
//   %r = bf16[8,8,256,12,64] reshape(bf16[8,2048,768] %x)      chunks of 256 positions, heads of 64 features
//
// Heads pad, so positions are on lanes, and no order of `x` is one of `r`. The compiler turns the lanes and moves the
// tiles: 7 copies of each kind for 7 such reshapes in a final module. It may be two reshapes: of the features, which
// turns lanes, and of the positions, which moves tiles. Heads whose positions are in no chunks are laid by the product
// that makes them.
//
// Cost: linear in the instructions. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CHUNK_COPIES_H_
#define TESSERA_TARGET_KERNELS_CHUNK_COPIES_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/layout_copies.h"

namespace tessera::target {

// Of one computation, whose instructions are `order`.
std::vector<LayoutCopy> FindChunkCopies(const hlo::Module& module,
                                        const std::vector<hlo::InstructionId>& order);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CHUNK_COPIES_H_
