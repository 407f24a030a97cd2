// Which values of a scope lie in the fast memory of a TPU (VMEM), and so take no HBM.
//
//   const FastValues fast = FindFastValues(flow, scope, order, homes, bytes, memory, in_bodies);
//   fast.homes;     // they lie there from the kernel that makes them to the last that reads them
//   fast.most;      // bytes of it in use at once
//
// The compiler gives one array after the other a place there, what is worth most first. It needs room for the whole
// of its life, and no two of its uses may be far apart. The limit is eight times as long as a copy of all of the fast
// memory takes, 1.1 ms on v5e, however small the array. Collectives take none of this time.
//
//   made, read at once                                ->  in VMEM
//   made by a last layer, read by its backward pass   ->  in VMEM
//   made by a first layer, read by its backward pass  ->  in HBM, though there may be room
//
// The worth of an array is the time that the kernels save which make or read it there, by the root of its size. A kernel
// that takes the time of its products saves nothing: weights of a large product stay in HBM. What a loop
// carries, what goes in or out of the scope and what lies in arguments stays where it is. A product that writes
// its result in two types has both in HBM, as 31 of 36 such programs. Not modelled: copies of
// what kernels make to HBM and back, which need room, too. Cost: logarithmic in the kernels, for each value. Tested by fast_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_FAST_MEMORY_H_
#define TESSERA_TARGET_SCHEDULE_FAST_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/homes.h"

namespace tessera::target {

struct ScopeKernels;

// Of a chip; without bytes there is none.
struct FastMemory {
  int64_t bytes = 0;
  double copied_per_s = 0;           // bytes, between it and HBM
  absl::Span<const double> seconds;  // by NodeId: how long it runs, roughly
  // By NodeId: the part of it that products take by themselves, which faster reads do not save. Empty: none.
  absl::Span<const double> computing;
};

// What the bodies of a kernel need, by place in the order of a scope.
struct InBodies {
  int64_t bytes = 0;   // of fast memory, at once
  double seconds = 0;  // of one round
};

struct FastValues {
  std::vector<ValueId> homes;
  int64_t most = 0;
  double seconds = 0;  // of the scope
  int64_t ahead = 0;   // of arguments that its kernels read, copied there in time
};

// `order`: kernels of the scope; as long as `in_bodies`. `bytes` by ValueId.
FastValues FindFastValues(const Dataflow& flow, const ScopeKernels& scope,
                          absl::Span<const uint32_t> order, const Homes& homes,
                          absl::Span<const int64_t> bytes, const FastMemory& memory,
                          absl::Span<const InBodies> in_bodies);

// Marks what lies there as free, in all scopes, bodies first: what loops use is used most often. `orders` by ScopeId.
// Returns the bytes of it in use at once. They include arguments that kernels of the entry read and that are copied
// there ahead, as far as there is room and time: the weights and caches of a decoding step.
int64_t PlaceInFastMemory(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                          absl::Span<const std::vector<uint32_t>> orders,
                          absl::Span<const int64_t> bytes, const FastMemory& memory, Homes* homes);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_FAST_MEMORY_H_
