#include "tessera/sharding/graph/run.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/graph/hlo_view.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

// Finds the rules of the ops of a program. Most ops have one that follows from their opcode and the
// dimensions of their tensors alone. These are remembered by the program's numbers of the shapes,
// which makes a key of a few words; all others are asked of the book.
class RuleFinder {
 public:
  RuleFinder(const Graph& graph, const propagation::Program& program, rules::RuleBook* book,
             factors::RuleTable* table)
      : graph_(graph), program_(program), book_(*book), table_(*table) {
    for (size_t i = 0; i < hlo::kNumOpcodes; ++i) {
      const hlo::Opcode opcode = static_cast<hlo::Opcode>(i);
      by_shape_[i] = opcode != hlo::Opcode::kCustomCall && rules::AttributesRead(opcode).empty() &&
                     !rules::AsksForSlices(opcode) && !rules::AsksForConstantIndices(opcode);
    }
  }

  absl::StatusOr<factors::RuleId> Find(propagation::OpId id, const Op& op) {
    if (op.kind == OpKind::kHlo) {
      if (!MakeKey(id, op)) return book_.RuleOf(HloView(graph_, op).get());
      const auto found = known_.find(key_);
      if (found != known_.end()) return found->second;
      TESSERA_ASSIGN_OR_RETURN(const auto rule, book_.RuleOf(HloView(graph_, op).get()));
      known_.emplace(key_, rule);
      return rule;
    }
    if (op.kind != OpKind::kConstraint) return factors::kNoRule;
    const auto rule = rules::PointwiseRule({&op.operand(0)->shape()}, {&op.result()->shape()});
    return rule.has_value() ? table_.Intern(*rule) : factors::kNoRule;
  }

 private:
  // False for an op that the key would not say all about.
  bool MakeKey(propagation::OpId id, const Op& op) {
    const hlo::Opcode opcode = OpcodeOf(op);
    if (op.part != OpPart::kWhole || !by_shape_[static_cast<size_t>(opcode)]) return false;
    if (graph_.module().HasAttribute(op.source, hlo::AttributeName::kFrontendAttributes)) {
      return false;
    }
    key_.clear();
    key_.push_back(static_cast<int32_t>(opcode));
    key_.push_back(static_cast<int32_t>(op.num_operands()));
    return AddShapes(program_.operands(id)) && AddShapes(program_.results(id));
  }
  bool AddShapes(absl::Span<const propagation::ValueId> values) {
    for (propagation::ValueId v : values) {
      if (!program_.has_shape(v)) return false;
      key_.push_back(program_.shape(v));
    }
    return true;
  }

  const Graph& graph_;
  const propagation::Program& program_;
  rules::RuleBook& book_;
  factors::RuleTable& table_;
  std::array<bool, hlo::kNumOpcodes> by_shape_;
  absl::flat_hash_map<std::vector<int32_t>, factors::RuleId> known_;
  std::vector<int32_t> key_;  // of the question at hand
};

void WriteBack(Graph* graph, const Frozen& frozen, const propagation::Result& result) {
  for (size_t v = 0; v < frozen.values.size(); ++v) {
    frozen.values[v]->set_sharding(result.shardings[v]);
  }
  graph->entry()->result_shardings = result.outputs;
  for (size_t op = frozen.ops.size(); op-- > 0;) {
    if (result.erased[op] && frozen.ops[op]->block != nullptr) graph->Erase(frozen.ops[op]);
  }
}

}  // namespace

const factors::OpShardingRule* Propagated::RuleOf(const Op* op) const {
  const size_t number = static_cast<size_t>(op->number);
  const bool was_there =
      op->number >= 0 && number < frozen_.ops.size() && frozen_.ops[number] == op;
  factors::RuleId id = was_there ? result_.rules[number] : factors::kNoRule;
  if (id == factors::kNoRule && op->kind == OpKind::kHlo) {
    id = book_->RuleOf(HloView(*graph_, *op).get()).value_or(factors::kNoRule);
  }
  return id == factors::kNoRule ? nullptr : &book_->table()[id];
}

absl::StatusOr<Propagated> PropagateGraph(Graph* graph, rules::RuleBook* book,
                                          factors::RuleTable* table,
                                          const propagation::Options& options,
                                          propagation::Observer* observer) {
  TESSERA_ASSIGN_OR_RETURN(Frozen frozen, Freeze(graph));
  absl::Status rule_error;
  RuleFinder finder(*graph, frozen.program, book, table);
  const auto rule_of = [&](propagation::OpId op) {
    const auto rule = finder.Find(op, *frozen.ops[static_cast<size_t>(op)]);
    if (!rule.ok()) rule_error = rule.status();
    return rule.value_or(factors::kNoRule);
  };
  const propagation::Tables tables{&graph->meshes(), &graph->shardings(), table};
  auto result = propagation::Propagate(frozen.program, tables, options, rule_of, observer);
  TESSERA_RETURN_IF_ERROR(rule_error);
  if (!result.ok()) return result.status();
  WriteBack(graph, frozen, *result);
  return Propagated(graph, book, std::move(frozen), *std::move(result));
}

}  // namespace tessera::sharding::graph
