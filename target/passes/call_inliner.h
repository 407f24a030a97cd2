// The instructions of a computation, copied to where it is called.
//
//   CopyInto(context, callee, program.computation(call), program.operands(call));

#ifndef TESSERA_TARGET_PASSES_CALL_INLINER_H_
#define TESSERA_TARGET_PASSES_CALL_INLINER_H_

#include "absl/types/span.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// The copy of the root of `callee`, or the argument that the root is. `arguments` stand for its
// parameters, in their order. The copy of a collective comes from where the original came from.
InstructionId CopyInto(Context& context, ComputationId callee, ComputationId caller,
                       absl::Span<const InstructionId> arguments);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_CALL_INLINER_H_
