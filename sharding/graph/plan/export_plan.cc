#include "tessera/sharding/graph/export_plan.h"

#include "tessera/sharding/graph/export/sink_constants.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_simplify.h"

namespace tessera::sharding::graph {

ExportPlan MakeExportPlan(Graph& graph, const PlanOptions& options) {
  SinkConstants(graph);
  ExportPlan plan = PlanBuilder(graph, options).Build();
  SimplifyPlan(plan);
  return plan;
}

}  // namespace tessera::sharding::graph
