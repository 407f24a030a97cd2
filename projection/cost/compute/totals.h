// The cost of a whole computation: every instruction, loops multiplied by their trip counts.
//
//   absl::StatusOr<Totals> t = TotalsOf(module, module.entry_id());
//   t->flops, t->transcendentals, t->bytes, t->unknown
#ifndef TESSERA_PROJECTION_COST_COMPUTE_TOTALS_H_
#define TESSERA_PROJECTION_COST_COMPUTE_TOTALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::projection {

struct Totals {
  int64_t flops = 0;
  int64_t transcendentals = 0;
  int64_t bytes = 0;
  int64_t sent = 0;  // to other devices, by one device
  // Each once, however often it runs.
  std::vector<std::string> unknown;  // instructions whose flops are unknown; left out of `flops`
  std::vector<std::string> unknown_trips;  // loops counted once
};

// Exact mode. A conditional counts, of each property, the largest over its branches. kOverflow.
absl::StatusOr<Totals> TotalsOf(const hlo::Module& module, hlo::ComputationId computation);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_TOTALS_H_
