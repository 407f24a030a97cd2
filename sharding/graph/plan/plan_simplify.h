// Takes out of a plan what packing left over, and what nobody needs.

#ifndef TESSERA_SHARDING_GRAPH_PLAN_PLAN_SIMPLIFY_H_
#define TESSERA_SHARDING_GRAPH_PLAN_PLAN_SIMPLIFY_H_

#include "tessera/sharding/graph/export_plan.h"

namespace tessera::sharding::graph {

// In every computation: an element of a tuple is the thing that was put in, a tuple of all elements
// of one value, in order, is that value. Not where the two have shardings that differ; a survivor
// without sharding takes that of the dropped one. Then nodes without effect that the root does not
// need go, and computations that nobody calls are emptied.
void SimplifyPlan(ExportPlan& plan);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_PLAN_SIMPLIFY_H_
