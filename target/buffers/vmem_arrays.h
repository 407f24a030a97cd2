// When each array in VMEM counts, as in the peak that the compiler of a TPU reports.
//
// There each array counts for itself, also where several lie in one memory:
//
//   b = dynamic-update-slice(a, ..)    step 4: a and b are one in memory, a is read again in step 9
//
// a counts until step 4, b from step 4 on: both in that step. An array that nobody reads does not count.
// Slices that become one array lie side by side, and each counts as long as it is needed.
//
// Cost: the arrays sorted. Tested by device_buffers_test.cc, and against the compiler by
// testing/compiled.

#ifndef TESSERA_TARGET_BUFFERS_VMEM_ARRAYS_H_
#define TESSERA_TARGET_BUFFERS_VMEM_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/target/buffers/live_values.h"
#include "tessera/target/buffers/memory_peaks.h"

namespace tessera::target {

// When an array is needed, as FindLiveValues() found it.
struct VmemSpan {
  size_t array = 0;  // of `arrays`
  ValueId home = 0;
  int64_t first = 0, last = 0;
  bool is_read = true;
  bool is_of_slices = false;  // ConcatBitcast: those in its memory lie side by side
};

// Adds to each of `arrays` the steps in which it counts.
void AddVmemSpans(std::vector<VmemSpan> spans, std::vector<VmemArray>* arrays);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_VMEM_ARRAYS_H_
