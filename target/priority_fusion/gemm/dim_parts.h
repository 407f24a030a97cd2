// Of which dimensions of a product the dimensions of an array are made that it reads.
//
//   x = f32[256,64], and 256 is free, 64 contracted      // {free 256}, {contracted 64}
//   x = bitcast(y: f32[4,64,2,32])                       // {free 4}, {free 64}, {contracted 2}, {contracted 32}
//   y = transpose(z: f32[4,2,64,32])                     // {free 4}, {contracted 2}, {free 64}, {contracted 32}
//
// A kernel of Triton walks through what is contracted, and through the batch, in one stride each: LieTogether() says
// whether it can. Cost: linear in the parts. Tested by gemm_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GEMM_DIM_PARTS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GEMM_DIM_PARTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace tessera::target {

enum class ProductRole : uint8_t { kBatch, kContracted, kFree };

struct DimPart {
  ProductRole role = ProductRole::kFree;
  int64_t dim = 0;    // of the product's operand or result
  int64_t size = 1;   // elements
  int64_t minor = 1;  // elements of all more minor parts of the dimension
};

using DimParts = std::vector<DimPart>;  // major first, none of size 1

// The parts of each dimension; nothing if a part would have to be cut at what does not divide it.
std::optional<std::vector<DimParts>> PartsByDim(DimParts parts, absl::Span<const int64_t> sizes);

// Of the operand, of the parts of a result with these sizes; see dim_groups.h.
std::optional<DimParts> PartsBeforeTranspose(const DimParts& parts, absl::Span<const int64_t> sizes,
                                             absl::Span<const int64_t> permutation);
std::optional<DimParts> PartsBeforeBroadcast(const DimParts& parts, absl::Span<const int64_t> sizes,
                                             absl::Span<const int64_t> dimensions);

// The parts of each dimension stand side by side in their order. Those of free dimensions count only if `all`.
bool LieTogether(const DimParts& parts, bool all);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GEMM_DIM_PARTS_H_
