// The passes behind propagation: from a propagated graph to one that can be written as HLO.
//
//   TESSERA_RETURN_IF_ERROR(RunExport(graph, rule_of));
//   ExportPlan plan = MakeExportPlan(graph, ...);    // export_plan.h
//
// In this order, since each pass reads what the ones before it left:
//
//   calls        inlined calls become functions again, shared where their shardings agree
//   results      of the entry, if they have no sharding, take that of the value
//   constants    equal constants, then equal broadcasts of scalars, become one
//   edges        the shardings of data-flow edges move to the values that they stand for
//   marks        groups vanish, constraints become reshards
//   boundaries   what crosses a function's border divides evenly; the entry's has no sub-axes
//   close        every dimension is closed, replicated axes are dropped
//   unreduced    axes that nobody reduces are an error
//   reshards     copies where an op's tensors do not agree
//   collectives  conversions of unreduced axes that undo each other vanish
//   clean        what nobody needs vanishes
//   barriers     vanish
//
// Each pass is a function of its own, so that a test or an explanation can stop between them.

#ifndef TESSERA_SHARDING_GRAPH_EXPORT_H_
#define TESSERA_SHARDING_GRAPH_EXPORT_H_

#include <functional>

#include "absl/status/status.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// The non-conservative rule of an op, null if it has none.
using RuleOf = std::function<const factors::OpShardingRule*(const Op*)>;

struct ExportOptions {
  // False: what crosses a border keeps axes that do not divide it.
  bool even_boundaries = true;
};

// All of the passes below.
absl::Status RunExport(Graph& graph, const RuleOf& rule_of, const ExportOptions& options = {});

void NamedToFunctions(Graph& graph);
void TakeShardingsOfResults(Graph& graph);
void ShareFunctions(Graph& graph);
void ReshardCallResults(Graph& graph);
void MergeConstants(Graph& graph);
void ReplaceMarks(Graph& graph);
void MakeBoundariesEven(Graph& graph);
void CutSubAxesOfEntry(Graph& graph);
void CloseShardings(Graph& graph);
absl::Status InsertReshards(Graph& graph, const RuleOf& rule_of);
void SimplifyCollectives(Graph& graph);
void MoveUnreducedToOperands(Graph& graph);
void RemoveBarriers(Graph& graph);
absl::Status CheckUnreduced(Graph& graph);
void RemoveDeadOps(Graph& graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_EXPORT_H_
