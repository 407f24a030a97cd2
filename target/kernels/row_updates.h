// Updates that write one row of each tile that they touch: a token of a cache.
//
//   %u = bf16[6,8,4096,512] dynamic-update-slice(%cache, bf16[1,8,1,512] %new, ..)     // RowsBeside: 8
//   %u = bf16[6,1,4096,512] dynamic-update-slice(%cache, bf16[1,1,1,512] %new, ..)     // 0: no other rows
//
// A loop that carries such an array lays it out anew: the last dimension of which the update has all gives the rows,
// here that of 8. So the array is copied in front of the loop and after it (layout_copies.h), and a slice of it is
// written before a product reads it (clusters.h).
//
// Found with loops of one product on v5e: 1, 2, 4, 8 rows an update, batches of 1, 2, 8, 32. Where a product has that
// dimension and another one as batches, such as heads and sequences, the cache stays as it lies: 2 and 8 heads.
//
// A scatter writes rows at a position of each sequence, and keeps the order of the dimensions in the loop:
//
//   %u = bf16[6,8,4096,576] scatter(%cache, ..)
//   %s = bf16[1,8,4096,576] dynamic-slice(%u, ..)        // ScatterBehind: %u
//
// A product reads such a slice from the cache. It is written before where a part of it is read, too, or where heads lie
// between the positions and the lanes and are a batch of the product: 36 of 36 probes on v5e, v5p and v6e.
//
// Cost: linear in the dimensions, and of products in the computation. Tested by kernels_test.cc.

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

// RowsBeside(), and 0 where products read the cache by that dimension and by another one.
int64_t RowsLaidAnew(const hlo::Module& module, hlo::InstructionId update);

// A product of its computation reads `array` or a slice of it, with so many batches, of which one has this size.
bool IsMultipliedBy(const hlo::Module& module, hlo::InstructionId array, int64_t size,
                    int batches = 1);

// The scatter of which `id` is the result, a view or a slice; kNoId for none.
hlo::InstructionId ScatterBehind(const hlo::Module& module, hlo::InstructionId id);

// A slice of what a scatter writes in a loop, which readers need as an array of its own.
bool IsWrittenSlice(const hlo::Module& module, hlo::InstructionId slice);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_ROW_UPDATES_H_
