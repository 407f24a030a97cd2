// The entry of a program by the numbers that propagation goes by.
//
//   absl::StatusOr<propagation::NumberedProgram> numbered = NumberProgram(&program);
//   numbered->op(7)->source;           // the instruction of op 7

#ifndef TESSERA_SHARDING_PASSES_PROPAGATE_NUMBER_PROGRAM_H_
#define TESSERA_SHARDING_PASSES_PROPAGATE_NUMBER_PROGRAM_H_

#include "absl/status/statusor.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::passes {

// The program must have been prepared, and groups in conflict separated (prepare/groups.cc).
// InvalidArgument at each instruction with a result of a dynamic shape, or at an op with an
// operand that no op before it makes.
absl::StatusOr<propagation::NumberedProgram> NumberProgram(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROPAGATE_NUMBER_PROGRAM_H_
