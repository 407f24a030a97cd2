// One step of the basic strategy: axes that all tensors of an op agree on go to all of them.
//
//        i      j      k              i      j      k
//   T0   a             f        T0    a,b    c      f
//   T1   a,b    c,d    g   ->   T1    a,b    c,d    g
//   T2          c,e             T2    a,b    c,e
//
// T1 and T2 differ after c, so c is what moves along j; f and g conflict, so nothing moves along k.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_BASIC_STEP_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_BASIC_STEP_H_

#include <vector>

#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/step/step_mode.h"

namespace tessera::sharding::propagation {

// Moves axes within `table`. True if any tensor took some; these are set in `updated`, which has a
// flag for each tensor. `observer` may be null.
bool BasicStep(const StepMode& mode, factors::FactorTable& table, std::vector<bool>& updated,
               Observer* observer = nullptr);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_BASIC_STEP_H_
