// Recognises scatters that combine what is there with what comes by a reduction. Only these may be
// split over updates: each device reduces its share, and the partial results are reduced again.

#ifndef TESSERA_SHARDING_RULES_UPDATE_COMPUTATION_H_
#define TESSERA_SHARDING_RULES_UPDATE_COMPUTATION_H_

#include "tessera/hlo/module.h"

namespace tessera::sharding::rules {

// True if `computation`, of 2N parameters, returns N values, the k-th of which is an operation on
// parameters k and k+N and nothing else. It is the same operation for all k: one of add, multiply,
// maximum, minimum, or on PRED and, or. (An add on PRED counts as the or that it is.)
bool IsReduction(const hlo::Module& module, hlo::ComputationId computation);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_UPDATE_COMPUTATION_H_
