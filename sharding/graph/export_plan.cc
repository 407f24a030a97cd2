#include "tessera/sharding/graph/export_plan.h"

#include "tessera/sharding/graph/plan_builder.h"
#include "tessera/sharding/graph/plan_simplify.h"
#include "tessera/sharding/graph/sink_constants.h"

namespace tessera::sharding::graph {

ExportPlan MakeExportPlan(Graph& graph, const PlanOptions& options) {
  SinkConstants(graph);
  ExportPlan plan = PlanBuilder(graph, options).Build();
  SimplifyPlan(plan);
  return plan;
}

}  // namespace tessera::sharding::graph
