// Which variants of a program are better.
//
//   Outcomes outcomes = ..;                      // one a variant; an error is why it has none
//   Ranked(outcomes, By::kTime, 16 << 30)        // {3, 0, 2}: numbers of variants, the best first
//   ParetoFront(outcomes)                        // {3, 2}: no other is better in memory and time
//
// Equal ones stay in their order, so that a ranking is the same in every run. Cost: of a sort.
// Tested by sweep_test.cc.

#ifndef TESSERA_COST_SWEEP_RANKING_H_
#define TESSERA_COST_SWEEP_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/step/step_cost.h"

namespace tessera::cost {

using Outcomes = std::vector<absl::StatusOr<StepCost>>;

enum class By { kMemory, kBytes, kTime };

// Of a memory of so many bytes, by the band of the predicted peak; without a limit (0) all fit.
FitVerdict VerdictOf(const StepCost& cost, int64_t limit);

// Those that do not fit the limit come last. Where these are equal the other two decide: time, bytes,
// memory. Without those that have no cost.
std::vector<size_t> Ranked(const Outcomes& outcomes, By by, int64_t limit);

// Those that no other variant beats in one of memory and time without being worse in the other, by
// ascending time; of equal ones the first.
std::vector<size_t> ParetoFront(const Outcomes& outcomes);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SWEEP_RANKING_H_
