// The data of the latency hiding scheduler on the kernels of a scope: their times, and the collectives that
// run beside them.
//
//   KernelTimes times(flow, scopes, bytes, rules);
//   std::vector<Step> steps = HideLatency(scopes[s], homes, order, times.Of(s), rules.how);
//   times.Add(s, steps);                 // scopes that run within s come first
//
// A loop of a TPU takes the time of its body, times a guess of its trips. It holds as many collectives in flight as its
// body. A loop of a GPU takes next to no time. Cost: linear. Tested by kernel_times_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_LATENCY_KERNEL_TIMES_H_
#define TESSERA_TARGET_SCHEDULE_LATENCY_KERNEL_TIMES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/fast_memory.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency/latency_graph.h"
#include "tessera/target/schedule/latency/latency_hiding.h"

namespace tessera::target {

// What schedulers do beside looking for little memory.
struct Scheduling {
  // By NodeId: collectives run beside kernels (latency_hiding.h). Empty: they do not.
  absl::Span<const double> seconds;
  // By NodeId: of a GPU sums that need no NCCL, of a TPU collectives that are no single instruction.
  const std::vector<bool>* own_kernels = nullptr;
  const std::vector<bool>* hiding = nullptr;
  HidingRules how;
  FastMemory fast;  // of a TPU: arrays that lie there take no memory

  bool hides_latency() const { return !seconds.empty(); }
  bool is_of_tpu() const { return hiding != nullptr; }
};

class KernelTimes {
 public:
  // All must outlive this. `bytes` by ValueId.
  KernelTimes(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
              absl::Span<const int64_t> bytes, const Scheduling& rules);

  std::vector<KernelTime> Of(ScopeId s) const;

  void Add(ScopeId s, absl::Span<const Step> order);

 private:
  struct InScope {
    double seconds = 0;
    InFlight in_flight = {};  // the most at once
  };

  KernelTime OfNode(NodeId n) const;
  bool IsLargeFill(const Node& node) const;
  void FindStacks();
  void FindStacksOf(const Node& node);

  const Dataflow& flow_;
  const absl::Span<const ScopeKernels> scopes_;
  const absl::Span<const int64_t> bytes_;
  const Scheduling& rules_;
  std::vector<InScope> of_scopes_;  // by ScopeId
  std::vector<bool> is_stack_;      // by ValueId: a loop writes its elements, one after the other
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_LATENCY_KERNEL_TIMES_H_
