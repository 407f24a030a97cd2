// Propagation on a program: run, and written back.
//
//   factors::RuleTable table;
//   rules::RuleRegistry registry(&table);
//   absl::StatusOr<Propagated> run = RunPropagation(program, &registry, &table);
//   run->RuleOf(op);     // const OpShardingRule*, null for an op without one
//
// Afterwards the slots of the program hold the result, that of an edge what its targets share; the
// entry's result_shardings hold those of its results. Ops that propagation found dead are gone.

#ifndef TESSERA_SHARDING_PASSES_PROPAGATE_RUN_H_
#define TESSERA_SHARDING_PASSES_PROPAGATE_RUN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/sharding/rules/rule_registry.h"

namespace tessera::sharding::passes {

class Propagated {
 public:
  Propagated(const HloProgram* program, rules::RuleRegistry* registry,
             propagation::NumberedProgram numbered, propagation::Result result)
      : program_(program),
        registry_(registry),
        numbered_(std::move(numbered)),
        result_(std::move(result)) {}

  // The program as propagation found it, by number.
  const propagation::NumberedProgram& numbered() const { return numbered_; }
  const propagation::Result& result() const { return result_; }

  // The rule that propagation used, or for an op made later, the one it has now. Null for an op
  // without one. Good until the next call.
  const factors::OpShardingRule* RuleOf(const Op* op) const;

 private:
  const HloProgram* program_;
  rules::RuleRegistry* registry_;
  propagation::NumberedProgram numbered_;
  propagation::Result result_;
};

// `registry` keeps its rules in `table`. Errors as of NumberProgram, of Propagate and of
// RuleRegistry::RuleOf.
absl::StatusOr<Propagated> RunPropagation(HloProgram* program, rules::RuleRegistry* registry,
                                          factors::RuleTable* table,
                                          const propagation::Options& options = {},
                                          propagation::Observer* observer = nullptr);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROPAGATE_RUN_H_
