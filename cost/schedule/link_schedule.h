// How long the links of a device are at work, and how long it waits for them.
//
// In a finished module, instructions run in their order:
//
//   start ----------- 8 us on the links ----------- done
//         kernel 3 us | kernel 2 us |  3 us exposed
//
// Collectives that are in flight at once share the links one after the other; permutes between
// different devices do not. A module that is not scheduled yet has no such order. There a TPU waits for all
// collectives but permutes, large all-gathers of some chips, and those between slices, which have links of their
// own (target::MayHide()). These run beside the products of their computation that neither lead to them nor
// follow from them. In
//
//   g1 = gather(w1)    p1 = product(x, g1)    g2 = gather(p1)    g3 = gather(w2)    p2 = product(g2, g3)
//
// g3 is gathered beside p1, and the device waits for g1 and g2. Collectives on the same links share this time.
// In a loop that only exchanges by permutes, as a product in windows does, they run beside all
// kernels. So it is in the final modules of 92 programs (docs/cost.md). A GPU has the order of its
// modelled schedule (cost/memory/modelled_schedule.h); without one it waits for all. A kernel that
// the schedule has fused runs with its first reader.
//
// Cost: linear, and on TPUs instructions times a 64th of the products, collectives times products. Tested by target_step_test.cc.

#ifndef TESSERA_COST_SCHEDULE_LINK_SCHEDULE_H_
#define TESSERA_COST_SCHEDULE_LINK_SCHEDULE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/cost/memory/modelled_schedule.h"
#include "tessera/hlo/module.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// Of one collective, one run.
struct LinkTime {
  std::optional<double> seconds;  // none where nothing says it
  std::string formula;
  std::string why_unknown;
  double exposed_s = 0;
  bool is_hidden_by_kernels = false;  // it may run beside kernels
  bool leaves_torus = false;          // it crosses the network between slices
};

// The work of a computation in its order.
struct TimedComputation {
  hlo::ComputationId computation = hlo::kNoId;
  absl::flat_hash_map<hlo::InstructionId, double> seconds;  // of kernels and calls
  absl::flat_hash_map<hlo::InstructionId, double> products;
  double kernels_s = 0;             // of all kernels
  std::vector<size_t> collectives;  // numbers
};

// Sets exposed_s of the collectives of a computation.
void ScheduleFinal(const hlo::Module& module, const target::StandingCollectives& standing,
                   const TimedComputation& timed, std::vector<LinkTime>* links);
// `order`: of a GPU, the steps of the computation.
void ScheduleModelled(const hlo::Module& module, const target::StandingCollectives& standing,
                      absl::Span<const ScheduledStep> order, const TimedComputation& timed,
                      std::vector<LinkTime>* links);
void SchedulePredicted(const hlo::Module& module, const target::StandingCollectives& standing,
                       const target::Target& target, const TimedComputation& timed,
                       std::vector<LinkTime>* links);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SCHEDULE_LINK_SCHEDULE_H_
