// The heap of a program for a CPU: which arrays lie in one buffer, how long each lives, and the packing.
//
//   // a lives in steps 0 to 2, b in steps 1 to 2, c is written over a in step 2 and lives to step 3.
//   std::vector<HeapArray> arrays = {{0, 0, 0, 2}, {1, 1, 1, 2}, {2, 0, 2, 3}};
//   PackArrays(arrays, {100, 200, 100}).bytes;            // 328: a and c below, b above them
//
// XLA's heap simulator numbers each allocation and each release. In a step it allocates first: what is
// released there soonest comes first. An array that is written over another one releases that one right
// before. Then it releases, in the order of the allocations. Lifetimes are differences of these numbers.
// Of the arrays in one buffer, such as those that a loop changes, each lives until the next one begins.
//
// Cost: sorting, and PackHeap(). Tested by heap_packing_test.cc, and
// against XLA:CPU by cpu_heap_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_HEAP_HEAP_ARRAYS_H_
#define TESSERA_TARGET_BUFFERS_HEAP_HEAP_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/target/buffers/heap/heap_packing.h"

namespace tessera::target {

struct HeapArray {
  size_t buffer = 0;
  size_t place = 0;             // the buffer in whose memory that one lies; mostly itself
  int64_t first = 0, last = 0;  // steps, both included
};

// `arrays` in the order in which XLA numbers them, `bytes` by buffer. Of the result, offsets are by
// buffer, -1 for one that has no array.
HeapPacking PackArrays(std::vector<HeapArray> arrays, const std::vector<int64_t>& bytes);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_HEAP_HEAP_ARRAYS_H_
