// The dimensions of an array and of a bitcast of it, side by side, and bitcasts moved to the other side of an operation.
//
//   GroupDims({4,64,192}, {256,4,48});              // {0,1 | 0} and {2 | 1,2}
//   SizesBeforeTranspose({1,0}, {64,8}, {64,2,4});  // {2,4,64}: bitcast(transpose(x)) = transpose(bitcast(x))
//
// Arrays lie row by row. Dimensions of size 1 are in no group.
// Cost: linear in the dimensions. Tested by gemm_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GEMM_DIM_GROUPS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GEMM_DIM_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace tessera::target {

using DimSizes = std::vector<int64_t>;

// Dimensions of one array that hold the elements of dimensions of the other.
struct DimGroup {
  std::vector<size_t> from, to;
  bool Merges() const { return from.size() > 1; }
  bool Splits() const { return to.size() > 1; }
};

// As small as they can be; nothing if the arrays differ in elements.
std::optional<std::vector<DimGroup>> GroupDims(absl::Span<const int64_t> from,
                                               absl::Span<const int64_t> to);

// The result has the sizes `have`, dimension i of it is dimension permutation[i] of the operand. The sizes that
// the operand has if the result is to have the sizes `want`; nothing if no transpose gives them.
std::optional<DimSizes> SizesBeforeTranspose(absl::Span<const int64_t> permutation,
                                             absl::Span<const int64_t> have,
                                             absl::Span<const int64_t> want);

// The same of a broadcast, whose dimension dimensions[i] is dimension i of the operand.
std::optional<DimSizes> SizesBeforeBroadcast(absl::Span<const int64_t> dimensions,
                                             absl::Span<const int64_t> have,
                                             absl::Span<const int64_t> want);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GEMM_DIM_GROUPS_H_
