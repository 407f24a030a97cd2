// Whether a module computes the same bits densely, block by block and device by device.
//
//   Agreement a = CheckAgreement(module);
//   a.outcome     // kAgrees; kSkipped where it is too large or has no meaning on one device
//   a.why         // "too large an array: %dot.3"
//
// Small enough is a module whose dense run takes at most 2^22 steps (Budget) with no array of more
// than 2^20 cells.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_AGREEMENT_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_AGREEMENT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/sharded/blocks.h"

namespace tessera::testing::evaluator {

struct Agreement {
  enum class Outcome { kAgrees, kSkipped, kDiffers };
  Outcome outcome = Outcome::kAgrees;
  std::string why;
  int64_t blocks = 0;  // computed in all runs
};

Agreement CheckAgreement(const hlo::Module& module, absl::Span<const BlockRules> runs,
                         Budget budget = Budget());

// Halves, with NaN and with shifted values, and the devices of the shardings that the module asks
// for. A module with collectives of several devices runs on all of them in lockstep (spmd.h).
Agreement CheckAgreement(const hlo::Module& module, Budget budget = Budget());

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_AGREEMENT_H_
