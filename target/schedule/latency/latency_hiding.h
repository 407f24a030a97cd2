// The order that XLA's latency hiding scheduler gives to kernels: collectives run while others compute.
//
//   std::vector<Step> steps = HideLatency(scope, homes, order, times);
//
//   g = all-gather(w)            g starts
//   a = dot(x, x)                a
//   b = dot(a, g)                g is done
//                                b
//
// XLA's algorithm, from the last kernel to the first. Of the kernels whose readers all stand, it takes the best by a
// list of rules (IsBetter()). A fill of a MiB or more comes at once. If no collective is in flight, the end of one
// comes at once, too, or a loop with collectives; on TPUs also while others are in flight, if there is room. A start
// comes when its time is up, or nothing else is ready. Ties go to `order`, that of least memory, in which starts are as
// early and ends as late as they can be. Memory decides only near the limit of the chip, which is not modelled.
//
// Cost: linear in the kernels, times the number of those that are ready at once; of more than 512 only these
// are compared, in place of all as in XLA. Tested by latency_hiding_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_LATENCY_LATENCY_HIDING_H_
#define TESSERA_TARGET_SCHEDULE_LATENCY_LATENCY_HIDING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency/latency_graph.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct HidingRules {
  InFlight most = {1, 1};         // at once, of each stream
  bool ends_compete = false;      // of TPUs: an end waits for none but those of its stream
  bool looks_ahead = true;        // starts wait, and depths and gaps count
  bool has_sparse_cores = false;  // of TPUs: picks from logits run there
  bool moves_collectives = true;  // of GPUs: starts and ends do not stay where `order` has them
};

// As the compiler's log has it: one all-gather and five permutes; only on v5e it looks ahead.
HidingRules HidingOn(const Chip& chip);

// `order` and `times` by the number of the kernel.
std::vector<Step> HideLatency(const ScopeKernels& scope, const Homes& homes,
                              const std::vector<uint32_t>& order,
                              absl::Span<const KernelTime> times, const HidingRules& rules = {});

// Collectives between whose start and end there are only starts and ends of others: XLA's
// convert-async-collectives-to-sync makes them synchronous.
std::vector<uint32_t> WaitedKernels(absl::Span<const Step> steps);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_LATENCY_LATENCY_HIDING_H_
