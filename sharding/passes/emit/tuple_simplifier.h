// Takes out of a program in the form of HLO what packing left over, and what nobody needs.

#ifndef TESSERA_SHARDING_PASSES_EMIT_TUPLE_SIMPLIFIER_H_
#define TESSERA_SHARDING_PASSES_EMIT_TUPLE_SIMPLIFIER_H_

#include "tessera/sharding/passes/emit/hlo_form.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// In every computation: an element of a tuple is the thing that was put in, a tuple of all elements
// of one value, in order, is that value. Not where the two have shardings that differ; a survivor
// without sharding takes that of the dropped one. Then ops without effect that the root does not
// need go, and computations that nobody calls are emptied.
void SimplifyTuples(HloProgram& program, HloForm& form);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_TUPLE_SIMPLIFIER_H_
