// The custom calls around manual computations, which the writers of shard_maps and of changes of
// unreduced axes both need. Internal to the package.

#ifndef TESSERA_SHARDING_GRAPH_PLAN_REGIONS_MANUAL_CALLS_H_
#define TESSERA_SHARDING_GRAPH_PLAN_REGIONS_MANUAL_CALLS_H_

#include "tessera/sharding/graph/export_plan.h"

namespace tessera::sharding::graph {

// The name of the computation that a manual computation calls.
inline constexpr char kManualBody[] = "xla.sdy.inlinable_manual_computation_body";

inline constexpr char kFullToShard[] = "SPMDFullToShardShape";
inline constexpr char kShardToFull[] = "SPMDShardToFullShape";

// A custom call of `target` that converts between whole and local shapes; its role is kBoundary.
// Not yet a node of the plan, which keeps its lists.
PlanNode ManualConversion(ExportPlan* plan, const char* target, hlo::InstructionId source,
                          NodeId operand, const layout::Shape* shape, PlanSharding sharding);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_REGIONS_MANUAL_CALLS_H_
