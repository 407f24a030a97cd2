// Which values of a program lie in the fast memory of a TPU (VMEM), and so take no HBM.
//
//   const FastUse use = PlaceInFastMemory(flow, scopes, orders, bytes, memory, &homes);
//   homes.is_free[home];    // true now: it lies there from the kernel that makes it to the last that reads it
//
// The compiler gives one array after the other a place there, what is worth most first. It needs room for the whole
// of its life, and no two of its uses may be far apart. The limit is eight times as long as a copy of all of the fast
// memory takes, 1.1 ms on v5e, however small the array. All scopes are one line of kernels: a loop counts for five
// rounds, and within it a wait is that of one round. A collective takes the time of what it reads and writes.
//
//   made, read at once                                ->  in VMEM
//   made by a last layer, read by its backward pass   ->  in VMEM
//   made by a first layer, read by its backward pass  ->  in HBM, though there may be room
//   gradients that a loop adds up                     ->  in VMEM, if all rounds are
//
// The worth of an array is the time that the kernels save which make or read it there, by the root of its size. A kernel
// that takes the time of its products saves nothing: weights of a large product stay in HBM. What a loop carries is one
// array (carried.h), but stacks stay where they are, and so does what goes in or out of the program or lies in arguments.
// Not modelled: copies of what kernels make to HBM and back, which need room, too. Given the compiler's own arrays, order
// and times, this rule has in VMEM what the compiler has there: notes/memory.md. Cost: logarithmic in the kernels, for
// each value. Tested by fast_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_FAST_MEMORY_H_
#define TESSERA_TARGET_SCHEDULE_FAST_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// Of a chip; without bytes there is none.
struct FastMemory {
  int64_t bytes = 0;
  double copied_per_s = 0;           // bytes, between it and HBM
  absl::Span<const double> seconds;  // by NodeId: how long it runs, as the compiler takes it here
  // By NodeId: the part of it that products take by themselves, which faster reads do not save. Empty: none.
  absl::Span<const double> computing;
};

// The most that is in use at once.
struct FastUse {
  int64_t bytes = 0;
  // Of these, arguments that kernels of the entry read and that are copied there ahead, as far as there is room and time:
  // the weights and caches of a decoding step.
  int64_t copied_ahead = 0;
  std::vector<ValueId> values;  // the others, in no order
};

// Marks what lies there as free, in all scopes. `orders` by ScopeId.
FastUse PlaceInFastMemory(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                          absl::Span<const std::vector<uint32_t>> orders,
                          absl::Span<const int64_t> bytes, const FastMemory& memory, Homes* homes);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_FAST_MEMORY_H_
