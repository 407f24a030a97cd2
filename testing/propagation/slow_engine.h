// Propagation told as plainly as possible: a real stack, no memory, nothing passed over. For tests
// of the real engine, which must agree with it on every program.

#ifndef TESSERA_TESTING_PROPAGATION_SLOW_ENGINE_H_
#define TESSERA_TESTING_PROPAGATION_SLOW_ENGINE_H_

#include "absl/types/span.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/result.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

// As Propagate(), for programs whose groups agree. `rules` are those of all ops, by number, as
// Result::rules of the real engine says them. Of the result only shardings, outputs and erased ops
// are filled.
Result PropagateSlowly(const NumberedProgram& program, const Tables& tables, const Options& options,
                       absl::Span<const RuleId> rules);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_SLOW_ENGINE_H_
