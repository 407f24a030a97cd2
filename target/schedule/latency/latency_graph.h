// The kernels of a scope as XLA's latency hiding scheduler sees them. A collective is two nodes, its start
// and its end. An edge leads from the maker of a value to a reader.
//
//   g = all-gather(w)            g starts -> g ends (its time)
//   b = dot(a, g)                g ends -> b (1 us)
//
// Arguments, elements of tuples and the tuple of results are nodes, too: of no cost, but a microsecond away from
// what they read and from their readers.
// A kernel that writes over a value comes after all readers of it. Cost: linear in what kernels read. Tested by
// latency_hiding_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_LATENCY_LATENCY_GRAPH_H_
#define TESSERA_TARGET_SCHEDULE_LATENCY_LATENCY_GRAPH_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// A kernel, or the start or the end of one that runs beside others.
struct Step {
  uint32_t kernel = 0;
  bool starts = true, ends = true;
};

// Collectives that share a limit of how many may be in flight: of a GPU those by NCCL; of a TPU permutes, and all others.
enum Stream : uint8_t { kFirstStream, kPermutes, kStreams };
using InFlight = std::array<int, kStreams>;

struct KernelTime {
  double seconds = 0;          // of a collective, between its start and its end
  bool is_collective = false;  // runs beside kernels
  bool is_own_kernel = false;  // a collective without NCCL: any number may be in flight
  Stream stream = kFirstStream;
  InFlight inside = {};        // the most that are in flight within its bodies
  bool is_large_fill = false;  // one number in 1 MiB or more
};

struct LatencyEdge {
  uint32_t to = 0;
  double latency = 1;  // in microseconds
};

struct LatencyNode {
  Step step;
  double cost = 0;
  std::vector<LatencyEdge> reads, readers;
  uint32_t place = 0;        // in the order of least memory
  uint32_t waits = 0;        // for readers that do not stand yet
  double ready = 0;          // when it could stand, from the end of the program
  double async_depth = 0;    // time of the collectives by NCCL in front of it, one after the other
  bool unlocks_end = false;  // reads the end of a collective
  Stream stream = kFirstStream;
  InFlight inside = {};
  bool is_own_kernel = false;
  bool is_large_fill = false;
  bool is_no_op = false;  // no step

  bool is_start() const { return !step.ends; }
  bool is_end() const { return !step.starts; }
  bool has_collectives() const { return inside != InFlight{}; }
};

// The kernels in `order`, with `times` by the number of the kernel. Nodes stand in that order. If `moves_collectives`,
// in `place` starts are as early and ends as late as they can be.
std::vector<LatencyNode> LatencyGraph(const ScopeKernels& scope, const Homes& homes,
                                      const std::vector<uint32_t>& order,
                                      absl::Span<const KernelTime> times,
                                      bool moves_collectives = true);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_LATENCY_LATENCY_GRAPH_H_
