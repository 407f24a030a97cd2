// Which buffers of a CPU or GPU lie in the memory of others.
//
//   std::vector<SharingBuffer> buffers = {{64, Sharing::kRoom, 1, 0, {{5, 9}}},
//                                          {64, Sharing::kGuest, 1, 1, {{1, 3}}}};
//   FindSharedMemory(buffers, {});      // {0, 0}: the second one lies where the first one will be
//
// As XLA gives buffers their places:
//
// 1. Rooms are results, and arguments that become results. Guests are temporaries: the largest first,
//    each goes into the newest room that is large enough and empty in all of its spans. Newest means
//    the last one in the order by size, rooms in front of guests of their size, then by position.
// 2. The guests that are left may lie over one another in a chain: a kernel writes an array over one
//    that it is the last to read, and that another kernel made in this form.
//
// Two buffers may meet in a step where a kernel reads one and writes the other over it. Cost: guests
// times rooms, and the logarithm of the spans. Tested by device_buffers_test.cc, and against the compilers by
// testing/compiled.

#ifndef TESSERA_TARGET_BUFFERS_SHARED_MEMORY_H_
#define TESSERA_TARGET_BUFFERS_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/target/buffers/spans.h"

namespace tessera::target {

enum class Sharing : uint8_t { kNone, kRoom, kGuest };

struct SharingBuffer {
  int64_t bytes = 0;
  Sharing sharing = Sharing::kNone;
  size_t arrays = 1;    // more are updated in place, or carried by a loop
  size_t position = 0;  // of the first array's instruction, callees and operands first
  Spans spans{};        // merged
};

// The kernel of a step may write buffer `made` over buffer `operand`.
struct BufferReuse {
  size_t made = 0, operand = 0;
  int64_t step = 0;
  bool is_direct = true;  // 2. asks for it
};

// By buffer: the one in whose memory it lies, which may be itself. `reuses` in the order of the steps.
std::vector<size_t> FindSharedMemory(const std::vector<SharingBuffer>& buffers,
                                     const std::vector<BufferReuse>& reuses);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_SHARED_MEMORY_H_
