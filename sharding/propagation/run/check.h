// The assumptions of propagation about a program and its shardings, checked before it starts.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_CHECK_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_CHECK_H_

#include "absl/status/status.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

// InvalidArgument if an operand is made by no op before it, or if a sharding id is not in its table.
// Also if a sharding has another rank than its value, an axis that its mesh does not have, or a mesh
// outside of the table.
absl::Status CheckShardings(const NumberedProgram& program, const Tables& tables);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_CHECK_H_
