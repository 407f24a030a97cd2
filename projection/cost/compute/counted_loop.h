// Loops whose counter starts at a constant, moves by one, and is compared with one.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_COUNTED_LOOP_H_
#define TESSERA_PROJECTION_COST_COMPUTE_COUNTED_LOOP_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/projection/cost/compute/scalar_values.h"

namespace tessera::projection {

struct Loop {
  const hlo::Module& module;
  const hlo::Computation& body;
  const hlo::Computation& condition;
  ScalarValues::Tuple init;
};

// How often the body runs, by a division; none where the loop is not of this kind, or its counter
// would wrap.
std::optional<int64_t> CountInClosedForm(const Loop& loop);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_COUNTED_LOOP_H_
