#include "tessera/sharding/passes/propagate/run.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "tessera/sharding/passes/propagate/hlo_view.h"
#include "tessera/sharding/passes/propagate/number_program.h"
#include "tessera/sharding/passes/propagate/rule_finder.h"
#include "tessera/sharding/passes/queries/op_error.h"
#include "tessera/sharding/propagation/run/fault.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using propagation::NumberedProgram;

void WriteBack(HloProgram* program, const NumberedProgram& numbered,
               const propagation::Result& result) {
  for (propagation::ValueId v = 0; v < numbered.num_values(); ++v) {
    numbered.value(v).set_sharding(result.shardings[v]);
  }
  program->entry()->result_shardings = result.outputs;
  for (propagation::OpId o = numbered.num_ops() - 1; o > 0; --o) {
    if (result.erased[o] && numbered.op(o)->block != nullptr) program->Erase(numbered.op(o));
  }
}

// An error about an op or a value of the program, at its instruction.
absl::Status Located(const HloProgram& program, const NumberedProgram& numbered,
                     const absl::Status& status) {
  const propagation::Subject subject = propagation::SubjectOf(status);
  if (subject.value >= 0) {
    return ErrorAtValue(program, &numbered.value(subject.value), status.message());
  }
  const Op* op = subject.op < 0 ? nullptr : numbered.op(subject.op);
  return op == nullptr || op->block == nullptr ? status : ErrorAtOp(program, op, status.message());
}

// The error of a rule attached to an instruction has the place in that rule. The error of a
// target's rule has the place of the call, and its message the place in the rule.
absl::Status RuleError(const HloProgram& program, const Op& op, const absl::Status& status) {
  if (text::ErrorOffset(status) != 0) return status;
  return ErrorAtOp(program, &op, absl::StripTrailingAsciiWhitespace(status.message()));
}

}  // namespace

const factors::OpShardingRule* Propagated::RuleOf(const Op* op) const {
  const bool was_there =
      op->number >= 0 && op->number < numbered_.num_ops() && numbered_.op(op->number) == op;
  factors::RuleId id = was_there ? result_.rules[op->number] : factors::kNoRule;
  if (id == factors::kNoRule && op->kind == OpKind::kHlo) {
    id = registry_->RuleOf(HloView(*program_, *op).get()).value_or(factors::kNoRule);
  }
  return id == factors::kNoRule ? nullptr : &registry_->table()[id];
}

absl::StatusOr<Propagated> RunPropagation(HloProgram* program, rules::RuleRegistry* registry,
                                          factors::RuleTable* table,
                                          const propagation::Options& options,
                                          propagation::Observer* observer) {
  TESSERA_ASSIGN_OR_RETURN(NumberedProgram numbered, NumberProgram(program));
  RuleFinder finder(*program, registry, table);
  const auto rule_of = [&](propagation::OpId id) -> absl::StatusOr<factors::RuleId> {
    if (options.is_final) return factors::kNoRule;
    const Op& op = *numbered.op(id);
    auto rule = finder.Find(op);
    if (!rule.ok()) return RuleError(*program, op, rule.status());
    return rule;
  };
  const propagation::Tables tables{&program->meshes(), &program->shardings(), table};
  auto result = propagation::Propagate(numbered, tables, options, rule_of, observer);
  if (!result.ok()) return Located(*program, numbered, result.status());
  WriteBack(program, numbered, *result);
  return Propagated(program, registry, std::move(numbered), *std::move(result));
}

}  // namespace tessera::sharding::passes
