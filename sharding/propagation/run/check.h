// File: check.h
//
// What propagation takes for granted about the shardings of a program, checked before it starts.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_CHECK_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_CHECK_H_

#include "absl/status/status.h"
#include "tessera/sharding/propagation/program.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

// InvalidArgument if a sharding or rule id is not in its table, if a sharding has another rank than
// its value, a mesh that is not in the table or an axis that its mesh does not have.
absl::Status CheckShardings(const Program& program, const Tables& tables);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_CHECK_H_
