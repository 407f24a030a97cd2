// Propagate: carries the shardings of a program from where they are written to everywhere they
// fit, as Shardy does, to the last sub-axis.
//
//   Tables tables{&meshes, &shardings, &rules};
//   Options options;                       // user priorities over op priorities over aggressive
//   absl::StatusOr<Result> result = Propagate(numbered, tables, options,
//                                             [&](OpId op) { return rules.Intern(Derive(op)); });
//   result->ShardingOf(numbered, value);   // kNoSharding, or an id of the table
//
// The program is only read: callers write the result back if they need it there.
//
// Loops, outermost first: user priority (those found in the shardings, ascending), op priority
// (five levels), strategy, worklist. Each setting leaves out the loops that it does not name:
//
//   schedule          user   op    strategy
//   kUserPriority     yes    yes   as set
//   kOpPriority       -      yes   as set        (priorities in shardings are not looked at)
//   kFlat             -      -     as set        (the same)
//
// Cost: linear in ops for each level; ops whose tensors did not change are passed over, and steps
// with equal rule and equal shardings are computed once.

#ifndef TESSERA_SHARDING_PROPAGATION_PROPAGATE_H_
#define TESSERA_SHARDING_PROPAGATION_PROPAGATE_H_

#include "absl/status/statusor.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/result.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

class Observer;  // observer.h

// Runs to the end. InvalidArgument if a rule does not fit its op's tensors, or a sharding's rank
// its value. Also if members of a sharding group disagree. `observer` may be null; it is told every
// change and every refusal and changes nothing.
absl::StatusOr<Result> Propagate(const NumberedProgram& program, const Tables& tables,
                                 const Options& options, const RuleSource& rule_of = nullptr,
                                 Observer* observer = nullptr);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_PROPAGATE_H_
