// The places of buffers in a heap, as XLA assigns them: by best fit, largest first or longest first.
//
//   std::vector<HeapBuffer> buffers = {{200, {{0, 3}}, 6, 6}, {100, {{0, 1}}, 2, 2},
//                                      {160, {{2, 3}}, 2, 2}};
//   const HeapPacking heap = PackHeap(buffers);
//   heap.offsets;     // {0, 256, 256}: the third one follows the second one, in the same place
//   heap.bytes;       // 416: the end of the one that reaches farthest
//
// Offsets are multiples of kHeapAlignment. Each buffer in its turn goes into the smallest gap that is
// free in all of its spans, the lowest of several. Without a large enough gap it goes above all others.
// XLA takes turns by size and once more by lifetime, and keeps the smaller heap, the first one of two
// equals. Between buffers there may be holes, so that the heap is larger than the buffers that live at
// once.
//
// A lifetime is measured in allocations and releases (heap_arrays.h). Of equals the first one in the list has
// its turn first. Cost: for each buffer and span the logarithm of the steps, times the gaps in its steps,
// which are few where buffers are dense; a training step with 18,000 buffers takes 45 ms. Tested by
// heap_packing_test.cc, against a search through all buffers, and by cpu_heap_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_HEAP_HEAP_PACKING_H_
#define TESSERA_TARGET_BUFFERS_HEAP_HEAP_PACKING_H_

#include <cstdint>
#include <vector>

#include "tessera/target/buffers/spans.h"

namespace tessera::target {

inline constexpr int64_t kHeapAlignment = 64;  // of XLA:CPU

// The next multiple.
inline int64_t Aligned(int64_t bytes) {
  return (bytes + kHeapAlignment - 1) / kHeapAlignment * kHeapAlignment;
}

struct HeapBuffer {
  int64_t bytes = 0;        // more than 0
  Spans spans{};            // merged, of steps from 0 on
  int64_t first_lives = 0;  // the lifetime of its first array, which decides between equal sizes
  int64_t all_live = 0;     // from the first allocation to the last release
};

struct HeapPacking {
  int64_t bytes = 0;
  std::vector<int64_t> offsets;  // by buffer
};

// The sum of all bytes, each rounded up, must fit in 64 bits.
HeapPacking PackHeap(const std::vector<HeapBuffer>& buffers);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_HEAP_HEAP_PACKING_H_
