#include "tessera/sharding/graph/export.h"

#include <vector>

#include "tessera/sharding/graph/purity.h"
#include "tessera/sharding/graph/sink_edges.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

void RemoveDeadIn(Graph& graph, Block* block) {
  for (Op *op = block->last, *previous; op != nullptr; op = previous) {
    previous = op->prev;
    if (!op->has_uses() && IsPure(*op)) {
      for (Value& result : op->results) result.MarkGone();
      graph.Erase(op);
      continue;
    }
    for (Block* inner : op->blocks) RemoveDeadIn(graph, inner);
  }
}

}  // namespace

void RemoveBarriers(Graph& graph) {
  if (graph.CountOf(OpKind::kBarrier) == 0) return;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind != OpKind::kBarrier) return;
    Value* operand = op->operand(0);
    op->result()->ReplaceAllUsesWith(operand);
    op->result()->ForwardTo(operand);
    graph.Erase(op);
  });
}

void RemoveDeadOps(Graph& graph) {
  // An op that dies inside a region can leave its outer operands without uses, which come before
  // it.
  for (Function* f : graph.functions()) RemoveDeadIn(graph, f->body);
}

absl::Status RunExport(Graph& graph, const RuleOf& rule_of, const ExportOptions& options) {
  NamedToFunctions(graph);
  if (graph.behaviors().results_take_sharding_of_value) TakeShardingsOfResults(graph);
  ShareFunctions(graph);
  ReshardCallResults(graph);
  MergeConstants(graph);
  SinkEdges(graph);
  ReplaceMarks(graph);
  if (options.even_boundaries) MakeBoundariesEven(graph);
  if (graph.behaviors().cut_sub_axes_at_border) CutSubAxesOfEntry(graph);
  CloseShardings(graph);
  if (graph.behaviors().dropped_unreduced_axes_are_errors) {
    TESSERA_RETURN_IF_ERROR(CheckUnreduced(graph));
  }
  TESSERA_RETURN_IF_ERROR(InsertReshards(graph, rule_of));
  if (graph.behaviors().simplify_collectives) SimplifyCollectives(graph);
  RemoveDeadOps(graph);
  MoveUnreducedToOperands(graph);
  RemoveBarriers(graph);
  return absl::OkStatus();
}

}  // namespace tessera::sharding::graph
