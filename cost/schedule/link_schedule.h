// How long the links of a device are at work, and how long it waits for them.
//
// In a finished module, instructions run in their order:
//
//   start ----------- 8 us on the links ----------- done
//         kernel 3 us | kernel 2 us |  3 us exposed
//
// Collectives that are in flight at once share the links one after the other; permutes between
// different devices do not. Those between slices of TPUs have links of their own.
//
// A module that is not scheduled yet has no such order, and takes that of the modelled schedule
// (cost/memory/modelled_schedule.h). Its steps are the kernels that memory is predicted with. Another kernel runs with
// its first reader, or before if a collective is in flight that it need not wait for:
//
//   g starts    a = dot(x, x)    g ends    b = dot(a, g)         a is no step: it runs in front of "g ends"
//
// On v5e parts of a gather run in the kernels beside it. The device waits for one beside which kernels only move data:
// slices, updates, copies between layouts.
//
// Without a modelled schedule the device waits for all. In 72 modules of TPUs waits are off by
// 0.7 % of the step in the mean (notes/cost.md).
//
// Cost: linear, and instructions times collectives between slices. Tested by target_step_test.cc.

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
  absl::flat_hash_set<hlo::InstructionId> computing;        // kernels that do more than move data
  std::vector<size_t> collectives;                          // numbers
};

// Sets exposed_s of the collectives of a computation.
void ScheduleFinal(const hlo::Module& module, const target::StandingCollectives& standing,
                   const TimedComputation& timed, std::vector<LinkTime>* links);
// `order`: the steps of the computation; without any the device waits.
void ScheduleModelled(const hlo::Module& module, const target::StandingCollectives& standing,
                      absl::Span<const ScheduledStep> order, const TimedComputation& timed,
                      const target::Chip& chip, std::vector<LinkTime>* links);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SCHEDULE_LINK_SCHEDULE_H_
