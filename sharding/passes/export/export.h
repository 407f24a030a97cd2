// The passes after propagation: from a propagated program to one that can be written as HLO. Their
// order, and what each does, stand in sharding/passes/export_passes.cc.

#ifndef TESSERA_SHARDING_PASSES_EXPORT_EXPORT_H_
#define TESSERA_SHARDING_PASSES_EXPORT_EXPORT_H_

#include <functional>

#include "absl/status/status.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// The non-conservative rule of an op, null if it has none.
using RuleOf = std::function<const factors::OpShardingRule*(const Op*)>;

struct ExportOptions {
  // False: values at a boundary keep axes that do not divide their dimensions.
  bool even_boundaries = true;
  // True: every op gets the reshards without which it cannot be computed, and each reshard is a step for
  // each collective of Shardy's plan.
  bool explicit_collectives = false;
};

void NamedToFunctions(HloProgram& program);
void TakeShardingsOfResults(HloProgram& program);
void ShareFunctions(HloProgram& program);
void ReshardCallResults(HloProgram& program);
void MergeConstants(HloProgram& program);
void RemoveGroups(HloProgram& program);
void ConstraintsToReshards(HloProgram& program);
void MakeBoundariesEven(HloProgram& program);
void CutSubAxesOfEntry(HloProgram& program);
void CloseShardings(HloProgram& program);
// `is_full`: also for ops in front of which the partitioner would choose well.
absl::Status InsertReshards(HloProgram& program, const RuleOf& rule_of, bool is_full);
void ReshardsToCollectives(HloProgram& program);
void SimplifyCollectives(HloProgram& program);
void MoveUnreducedToOperands(HloProgram& program);
void RemoveBarriers(HloProgram& program);
absl::Status CheckUnreduced(HloProgram& program);
void RemoveDeadOps(HloProgram& program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EXPORT_EXPORT_H_
