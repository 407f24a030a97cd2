// The slow, obvious engine: arrays that are really there, really padded and really permuted.
//
//   SlowMemory(*ParseShape("f32[3]{0:T(2)}"))   // {0, 1, 2, -1}
//
// For tests only. It shares no code with tiling.h, index_map.h and decompose.h, which it checks.

#ifndef TESSERA_TESTING_LAYOUT_SLOW_MAP_H_
#define TESSERA_TESTING_LAYOUT_SLOW_MAP_H_

#include <cstdint>
#include <vector>

#include "tessera/layout/shape.h"

namespace tessera::layout {

// Values row by row.
struct SlowArray {
  std::vector<int64_t> dims;
  std::vector<int64_t> values;
};

// 0, 1, 2, ... in sizes `dims`.
SlowArray SlowIota(const std::vector<int64_t>& dims);
// Output dimension i is input dimension perm[i].
SlowArray SlowTranspose(const SlowArray& array, const std::vector<int64_t>& perm);
SlowArray SlowReshape(SlowArray array, const std::vector<int64_t>& dims);
// Grows or cuts each dimension at its end to `dims`; new places get `fill`.
SlowArray SlowResize(const SlowArray& array, const std::vector<int64_t>& dims, int64_t fill);

// The memory of a valid array without unbounded dimensions: for each slot the row-major number of
// its element, -1 for padding.
std::vector<int64_t> SlowMemory(const Shape& array);

}  // namespace tessera::layout

#endif  // TESSERA_TESTING_LAYOUT_SLOW_MAP_H_
