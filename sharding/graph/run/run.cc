#include "tessera/sharding/graph/run/run.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "tessera/sharding/graph/queries/op_error.h"
#include "tessera/sharding/graph/run/hlo_view.h"
#include "tessera/sharding/graph/run/rule_finder.h"
#include "tessera/sharding/propagation/run/fault.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

void WriteBack(Graph* graph, const Frozen& frozen, const propagation::Result& result) {
  for (size_t v = 0; v < frozen.values.size(); ++v) {
    frozen.values[v]->set_sharding(result.shardings[v]);
  }
  graph->entry()->result_shardings = result.outputs;
  for (size_t op = frozen.ops.size(); op-- > 0;) {
    if (result.erased[op] && frozen.ops[op]->block != nullptr) graph->Erase(frozen.ops[op]);
  }
}

// An error about an op or a value of the program, at its instruction.
absl::Status Located(const Graph& graph, const Frozen& frozen, const absl::Status& status) {
  const propagation::Subject subject = propagation::SubjectOf(status);
  if (subject.value >= 0) {
    const Value* value = frozen.values[static_cast<size_t>(subject.value)];
    return ErrorAtValue(graph, value, status.message());
  }
  const Op* op = subject.op < 0 ? nullptr : frozen.ops[static_cast<size_t>(subject.op)];
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
  const size_t number = static_cast<size_t>(op->number);
  const bool was_there =
      op->number >= 0 && number < frozen_.ops.size() && frozen_.ops[number] == op;
  factors::RuleId id = was_there ? result_.rules[number] : factors::kNoRule;
  if (id == factors::kNoRule && op->kind == OpKind::kHlo) {
    id = registry_->RuleOf(HloView(*graph_, *op).get()).value_or(factors::kNoRule);
  }
  return id == factors::kNoRule ? nullptr : &registry_->table()[id];
}

absl::StatusOr<Propagated> PropagateGraph(Graph* graph, Frozen frozen,
                                          rules::RuleRegistry* registry, factors::RuleTable* table,
                                          const propagation::Options& options,
                                          propagation::Observer* observer) {
  RuleFinder finder(*graph, frozen.program, registry, table);
  const auto rule_of = [&](propagation::OpId id) -> absl::StatusOr<factors::RuleId> {
    const Op& op = *frozen.ops[static_cast<size_t>(id)];
    auto rule = finder.Find(id, op);
    if (!rule.ok()) return RuleError(*graph, op, rule.status());
    return rule;
  };
  const propagation::Tables tables{&graph->meshes(), &graph->shardings(), table};
  auto result = propagation::Propagate(frozen.program, tables, options, rule_of, observer);
  if (!result.ok()) return Located(*graph, frozen, result.status());
  WriteBack(graph, frozen, *result);
  return Propagated(graph, registry, std::move(frozen), *std::move(result));
}

}  // namespace tessera::sharding::graph
