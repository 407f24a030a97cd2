// Updates that write one row of each tile that they touch: a token of a cache.
//
//   %u = bf16[6,8,4096,512] dynamic-update-slice(%cache, bf16[1,8,1,512] %new, ..)     // RowsBeside: 8
//   %u = bf16[6,1,4096,512] dynamic-update-slice(%cache, bf16[1,1,1,512] %new, ..)     // 0: no other rows
//
// A loop that carries such an array lays it out anew: the last dimension of which the update has all gives the rows,
// here that of 8. So the array is copied in front of the loop and after it (layout_copies.h), and a slice of it is
// written before a product reads it (clusters.h).
//
// Found with loops of one product on v5e: 1, 2, 4, 8 rows an update, batches of 1, 2, 8, 32. Cost: linear in the
// dimensions. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_ROW_UPDATES_H_
#define TESSERA_TARGET_KERNELS_ROW_UPDATES_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::target {

// Dimensions of more than one element, in order.
std::vector<int64_t> LargeDims(const layout::Shape& array);

// The size of the dimension that gives the rows in the loop; 0 for any other update or instruction.
int64_t RowsBeside(const hlo::Module& module, hlo::InstructionId update);

// Of an update at one position of the third last dimension, with all of the two after it: the size of the last but
// one, such as heads; 0 for any other instruction.
//
//   %u = bf16[6,8,4096,2,128] dynamic-update-slice(%cache, bf16[1,8,1,2,128] %new, ..)    // 2
int64_t HeadsOf(const hlo::Module& module, hlo::InstructionId update);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_ROW_UPDATES_H_
