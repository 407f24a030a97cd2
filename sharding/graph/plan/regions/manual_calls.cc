#include "tessera/sharding/graph/plan/regions/manual_calls.h"

#include "absl/strings/str_cat.h"

namespace tessera::sharding::graph {

PlanNode ManualConversion(ExportPlan* plan, const char* target, hlo::InstructionId source,
                          NodeId operand, const layout::Shape* shape, PlanSharding sharding) {
  PlanNode node;
  node.opcode = hlo::Opcode::kCustomCall;
  node.role = NodeRole::kBoundary;
  node.source = source;
  node.shape = shape;
  node.operands = plan->Keep({operand});
  node.sharding = sharding;
  node.own =
      plan->Keep({{{hlo::AttributeName::kCustomCallTarget, absl::StrCat("\"", target, "\"")}}, ""});
  return node;
}

}  // namespace tessera::sharding::graph
