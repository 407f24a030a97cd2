// The passes after propagation: from a propagated graph to one that can be written as HLO. Their
// order, and what each does, stand in sharding/passes/export_passes.cc.

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

void NamedToFunctions(Graph& graph);
void TakeShardingsOfResults(Graph& graph);
void ShareFunctions(Graph& graph);
void ReshardCallResults(Graph& graph);
void MergeConstants(Graph& graph);
void RemoveGroups(Graph& graph);
void ConstraintsToReshards(Graph& graph);
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
