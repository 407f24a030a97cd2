// The rules of rules.h on a whole program, again and again until none has anything to do.
//
//   TESSERA_RETURN_IF_ERROR(SimplifyForShardy(context));   // a pass (target/pass.h)

#ifndef TESSERA_TARGET_SIMPLIFY_SIMPLIFIER_H_
#define TESSERA_TARGET_SIMPLIFY_SIMPLIFIER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// May be replaced: it has no sharding, no annotation and no control dependencies, and is an array of
// fixed sizes, or a topk.
bool MayBeSimplified(const DeviceProgram& program, InstructionId id);

// Copies the metadata of `from` to all instructions numbered `first` or above.
void GiveMetadata(DeviceProgram& program, InstructionId from, InstructionId first);

// Operands come first, and a rule sees them simplified. What is added has the metadata of what it
// takes the place of. Between sweeps reshapes move (reshape_mover.h). A topk becomes a call.
// Cost: linear in the program for each sweep; programs need few, and 60 end it.
absl::Status SimplifyForShardy(Context& context);
// The same without moves of reshapes: those of TPUs begin where equal instructions are merged no longer.
absl::Status SimplifyInPlace(Context& context);

// The rules that find something after the partitioner (kRulesAfterPartitioner), once.
absl::Status SimplifyAfterPartitioner(Context& context);
// Reshapes and transposes move from operands to results (reshape_mover.h).
absl::Status MoveReshapesAfterPartitioner(Context& context);
// Only elements of tables of multiples, which are products on GPUs.
absl::Status CalculateTables(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_SIMPLIFIER_H_
