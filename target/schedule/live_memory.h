// The memory that temporaries take over time, by an order of kernels.
//
//   LiveMemory live = FindLiveMemory(flow, kept, homes, bytes, Scheduling{});
//   live.peak;                    // bytes of all that is in no argument and in no result
//   live.at_peak;                 // the values alive there, also in the loops that run
//   live.curve[k].bytes;          // while kernel k of the entry runs
//
//   1. XLA tries three kinds of order: least memory, depth first, and that of the module (kernel_order.h). All scopes
//      run in the kind that needs least as XLA measures it. This measure counts twice the operands that are written
//      over, and the values that a loop carries as it starts.
//   2. On TPUs fills go to their readers (deferred_fills.h).
//   3. Collectives move so that kernels run beside them (latency_hiding.h): on GPUs in all scopes, on TPUs in those
//      with asynchronous collectives.
//   4. On GPUs temporaries move into the memory of results (result_rooms.h), on TPUs into VMEM (fast_memory.h).
//
// A value lives from the kernel that makes it to the last one that reads it. While a loop runs, the values that it
// carries count inside of it: the old one to its last use, the new one from where it is made. An elementwise kernel
// may write to an operand that nobody needs any more. On TPUs it does not if the kernel that made this operand reduces
// it, too.
//
// Cost: linear, and logarithmic in the kernels that are ready at once. Tested by
// live_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_LIVE_MEMORY_H_
#define TESSERA_TARGET_SCHEDULE_LIVE_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/schedule/fast_memory.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/latency/kernel_times.h"

namespace tessera::target {

struct CurvePoint {
  NodeId node = kNone;
  int64_t bytes = 0;    // while it runs; of a loop: at its own peak
  int64_t kernels = 1;  // that run in it, each once
};

// A kernel in the order of its scope: whole, or the start or the end of one that runs beside others.
struct NodeStep {
  NodeId node = kNone;
  bool starts = true, ends = true;
};

struct LiveMemory {
  int64_t peak = 0;
  int64_t measured = 0;          // what XLA's scheduler logs for the kind of order, arguments aside
  FastUse fast;                  // of a TPU
  std::vector<NodeId> path;      // what runs at the peak, outer loops first
  std::vector<ValueId> at_peak;  // with memory of their own, in no order
  std::vector<CurvePoint> curve;  // of the entry
  // Of a GPU: collectives between whose start and end no kernel runs, in each scope that has them. Those
  // that run by XLA's own kernel are not here: they never become synchronous (gpu/own_kernel.h).
  std::vector<NodeId> waited;
  // Of all scopes, one after the other; empty where nothing hides latency.
  std::vector<NodeStep> order;

  // The compiler's count: the temporaries of the memory that has most of them.
  int64_t Counted() const { return std::max(peak, fast.bytes); }
};

// `bytes` by ValueId. The largest number where sums leave 64 bits.
LiveMemory FindLiveMemory(const Dataflow& flow, const KeptValues& kept, const Homes& homes,
                          absl::Span<const int64_t> bytes, const Scheduling& rules);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_LIVE_MEMORY_H_
