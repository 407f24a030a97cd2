// The temporaries of the compiler of CPUs: a heap with holes, and tables of tuples.
//
//   TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesSetAside(module, values, placed));
//   // temp_size_in_bytes of JAX's memory_analysis()
//
// The heap has every temporary that lies in no argument and no result (heap_arrays.h); after it lie the
// tables (tuple_tables.h). All begin at multiples of kHeapAlignment. Cost: that of these. Tested by
// cpu_heap_test.cc against XLA:CPU.

#ifndef TESSERA_TARGET_BUFFERS_HEAP_CPU_HEAP_H_
#define TESSERA_TARGET_BUFFERS_HEAP_CPU_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/target/buffers/device_buffers.h"
#include "tessera/target/buffers/live_values.h"

namespace tessera::target {

struct PlacedBuffers {
  const std::vector<size_t>& of_span;  // by number in LiveValues::spans
  const std::vector<size_t>& place;    // by buffer: the one in whose memory it lies; mostly itself
  const std::vector<size_t>& numbers;  // of XlaOrders
  const std::vector<LiveBuffer>& buffers;
};

// OutOfRange where bytes leave 64 bits.
absl::StatusOr<int64_t> BytesSetAside(const hlo::Module& module, const LiveValues& values,
                                      const PlacedBuffers& placed);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_HEAP_CPU_HEAP_H_
