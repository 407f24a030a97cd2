// How often a loop runs.
//
//   TripCount(module, loop)   // 10 for `i = 0; i < 10; i + 1`; none when data decides
#ifndef TESSERA_PROJECTION_COST_COMPUTE_TRIP_COUNT_H_
#define TESSERA_PROJECTION_COST_COMPUTE_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::projection {

// `known_trip_count` of the backend configuration; else a counter that is compared with a constant,
// in closed form; else the scalar part of the loop run for at most 128 steps. None when none of
// these says it.
std::optional<int64_t> TripCount(const hlo::Module& module, hlo::InstructionId loop);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_TRIP_COUNT_H_
