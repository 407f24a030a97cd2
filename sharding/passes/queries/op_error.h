// Errors about ops and values, at the instructions that they come from.

#ifndef TESSERA_SHARDING_PASSES_QUERIES_OP_ERROR_H_
#define TESSERA_SHARDING_PASSES_QUERIES_OP_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// The instruction of the op, else of the enclosing op, else the root of the function.
hlo::InstructionId PlaceOf(const HloProgram& program, const Op* op);
// Of a block's argument, the parameter or the op around.
hlo::InstructionId PlaceOf(const HloProgram& program, const Value* value);

// InvalidArgument (text::ErrorAt) at PlaceOf(), "%name: message".
absl::Status ErrorAtOp(const HloProgram& program, const Op* op, absl::string_view message);
absl::Status ErrorAtValue(const HloProgram& program, const Value* value, absl::string_view message);

// The same for an error; OK stays OK.
absl::Status AtOp(const HloProgram& program, const Op* op, const absl::Status& status);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_QUERIES_OP_ERROR_H_
