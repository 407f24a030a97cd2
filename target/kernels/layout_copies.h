// Copies that a compiler puts into a program because of where and how arrays lie, and that a partitioned
// module does not show.
//
// - A result that has the memory of an argument, and that a loop makes elsewhere. It is copied there at
//   the end: a decode step whose loop over layers stacks the caches anew.
//
// The others are made on TPUs alone. On GPUs, layout-assignment decides the layouts: in ten steps for H100, none of 97
// results of collectives in the memory of arguments is copied.
//
// - A result that a collective makes in the memory of an argument, and that argument: it is read while the
//   result arrives. So a step gathers parameters that it updated in parts.
// - A cache of which each trip of a loop writes one row of the tiles (row_updates.h). Inside the loop another dimension
//   gives the rows: an argument is copied in front of it, and a result after it.
// - A cache of which each trip writes one position of all heads, [.., positions, heads, lanes], and a product with the
//   heads as a batch reads it, or a slice of it such as the keys: positions give the rows inside the loop. Probes with 2
//   to 16 heads copy it, one head or a sum in place of the product does not.
// - The operand of an all-to-all, which sends parts of its dimension: that must be the most major one. So it is in what
//   arrives, which is copied back where the senders become a part of another dimension.
// - What the partitioner puts together from the parts of a gathered or exchanged array:
//
//     g = bf16[4,512,2048] all-gather(..)                       of bf16[1,512,2048], say
//     t = bf16[512,4,2048] transpose(g), dimensions={1,0,2}
//     r = bf16[512,8192] reshape(t)
//
//   Rows of a tile of `g` become parts of one row of `r`. The compiler makes tiles of four rows first, and
//   copies each.
//
// - Chunks of positions in heads of few features (chunk_copies.h).
//
// Found in the compiler's modules after layout assignment, by name. Other copies that change the most minor dimension
// are part of fusions. Cost: linear in the instructions. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_LAYOUT_COPIES_H_
#define TESSERA_TARGET_KERNELS_LAYOUT_COPIES_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct LayoutCopy {
  hlo::InstructionId from = hlo::kNoId, to = hlo::kNoId;  // that make the two arrays
  double tiles = 0;
  bool turns_lanes = false;  // the most minor dimension changes
};

// Of one computation, whose instructions are `order`.
std::vector<LayoutCopy> FindLayoutCopies(const hlo::Module& module,
                                         const std::vector<hlo::InstructionId>& order,
                                         Platform platform);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_LAYOUT_COPIES_H_
