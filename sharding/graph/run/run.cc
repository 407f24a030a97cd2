#include "tessera/sharding/graph/run/run.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "tessera/sharding/graph/queries/op_error.h"
#include "tessera/sharding/graph/run/hlo_view.h"
#include "tessera/sharding/graph/run/number_graph.h"
#include "tessera/sharding/graph/run/rule_finder.h"
#include "tessera/sharding/propagation/run/fault.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using propagation::NumberedProgram;

void WriteBack(Graph* graph, const NumberedProgram& numbered, const propagation::Result& result) {
  for (propagation::ValueId v = 0; v < numbered.num_values(); ++v) {
    numbered.value(v).set_sharding(result.shardings[v]);
  }
  graph->entry()->result_shardings = result.outputs;
  for (propagation::OpId o = numbered.num_ops() - 1; o > 0; --o) {
    if (result.erased[o] && numbered.op(o)->block != nullptr) graph->Erase(numbered.op(o));
  }
}

// An error about an op or a value of the program, at its instruction.
absl::Status Located(const Graph& graph, const NumberedProgram& numbered,
                     const absl::Status& status) {
  const propagation::Subject subject = propagation::SubjectOf(status);
  if (subject.value >= 0) {
    return ErrorAtValue(graph, &numbered.value(subject.value), status.message());
  }
  const Op* op = subject.op < 0 ? nullptr : numbered.op(subject.op);
  return op == nullptr || op->block == nullptr ? status : ErrorAtOp(graph, op, status.message());
}

// A rule attached to an instruction is wrong where it stands; the rule of a target, at the call,
// and its message says where in the rule.
absl::Status RuleError(const Graph& graph, const Op& op, const absl::Status& status) {
  if (text::ErrorOffset(status) != 0) return status;
  return ErrorAtOp(graph, &op, absl::StripTrailingAsciiWhitespace(status.message()));
}

}  // namespace

const factors::OpShardingRule* Propagated::RuleOf(const Op* op) const {
  const bool was_there =
      op->number >= 0 && op->number < numbered_.num_ops() && numbered_.op(op->number) == op;
  factors::RuleId id = was_there ? result_.rules[op->number] : factors::kNoRule;
  if (id == factors::kNoRule && op->kind == OpKind::kHlo) {
    id = registry_->RuleOf(HloView(*graph_, *op).get()).value_or(factors::kNoRule);
  }
  return id == factors::kNoRule ? nullptr : &registry_->table()[id];
}

absl::StatusOr<Propagated> PropagateGraph(Graph* graph, rules::RuleRegistry* registry,
                                          factors::RuleTable* table,
                                          const propagation::Options& options,
                                          propagation::Observer* observer) {
  TESSERA_ASSIGN_OR_RETURN(NumberedProgram numbered, NumberGraph(graph));
  RuleFinder finder(*graph, registry, table);
  const auto rule_of = [&](propagation::OpId id) -> absl::StatusOr<factors::RuleId> {
    const Op& op = *numbered.op(id);
    auto rule = finder.Find(op);
    if (!rule.ok()) return RuleError(*graph, op, rule.status());
    return rule;
  };
  const propagation::Tables tables{&graph->meshes(), &graph->shardings(), table};
  auto result = propagation::Propagate(numbered, tables, options, rule_of, observer);
  if (!result.ok()) return Located(*graph, numbered, result.status());
  WriteBack(graph, numbered, *result);
  return Propagated(graph, registry, std::move(numbered), *std::move(result));
}

}  // namespace tessera::sharding::graph
