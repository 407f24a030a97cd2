// What a sharding constraint says about its operand.
//
//   x = add(..); c = constraint(x, [{"a"}, {}])      ->   x gets [{"a"}, {}] too
//
// Only if x has no sharding yet, or a fully open one that names nothing (in newer releases), the
// constraint is closed throughout, and nobody constrains x in another way. The in-shardings of
// manual computations count as constraints. A value with a data-flow edge does not take the
// sharding: its other users read the constraint instead.
//
// Chains: when constraints follow one another on a value without sharding, c2(c1(x)), users of x
// behind the last of them read that one.

#ifndef TESSERA_SHARDING_PASSES_PREPARE_CONSTRAINTS_H_
#define TESSERA_SHARDING_PASSES_PREPARE_CONSTRAINTS_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

void ApplyConstraints(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_CONSTRAINTS_H_
