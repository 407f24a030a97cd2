#include "tessera/sharding/graph/export_plan.h"

#include "tessera/sharding/graph/plan/plan_builder.h"

namespace tessera::sharding::graph {

ExportPlan MakeExportPlan(Graph& graph, const PlanOptions& options) {
  return PlanBuilder(graph, options).Build();
}

}  // namespace tessera::sharding::graph
