// Removes leftovers of packing and dead ops from a program in HLO form.

#ifndef TESSERA_SHARDING_PASSES_EMIT_TUPLE_SIMPLIFIER_H_
#define TESSERA_SHARDING_PASSES_EMIT_TUPLE_SIMPLIFIER_H_

#include "tessera/sharding/passes/emit/hlo_form.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// In every computation, replaces an element of a tuple by the tuple's operand. Replaces a tuple of
// all elements of one value, in order, by that value. Not if the shardings differ; a survivor
// without a sharding takes the other's. Then removes dead ops, and empties computations without
// callers.
void SimplifyTuples(HloProgram& program, HloForm& form);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_TUPLE_SIMPLIFIER_H_
