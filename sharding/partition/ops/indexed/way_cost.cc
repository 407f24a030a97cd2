#include "tessera/sharding/partition/ops/indexed/way_cost.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tessera::sharding::partition {

PartitionedHlo StandIn(const PartitionedHlo& value, DeviceGroupScope& scope) {
  Graph& graph = scope.graph();
  return {graph.Add(Opcode::kParameter, graph.shape(value.node), {}, Recipes::kUnknown), value.base,
          value.tiling, &scope};
}

Cost CostOfRun(DeviceGroupScope& scope, Opcode opcode, const std::function<Try()>& run) {
  const Graph& graph = scope.graph();
  const NodeId begin = static_cast<NodeId>(graph.size());
  const Try result = run();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (!result.has_value()) return {kMost, kMost};
  Cost cost = {0, 0};
  std::set<NodeId> seen;
  std::vector<NodeId> open = {*result};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id < begin || !seen.insert(id).second) continue;
    const Node& node = graph.node(id);
    const auto operands = graph.operands(id);
    open.insert(open.end(), operands.begin(), operands.end());
    if (node.opcode != opcode && node.form < 0) continue;
    const bool in_place = node.opcode == Opcode::kAllReduce || node.opcode == Opcode::kScatter;
    int64_t memory = in_place ? 0 : Bytes(*node.shape);
    for (NodeId operand : operands) memory += Bytes(graph.shape(operand));
    cost.first = std::max(cost.first, memory);
    if (node.form < 0) continue;
    const int64_t bytes = Bytes(*node.shape);
    const auto& groups = At(graph.forms(), node.form).groups;
    const int64_t size = groups.empty() ? 1 : Size(groups[0]);
    cost.second += node.opcode == Opcode::kAllReduce           ? 2 * bytes
                   : node.opcode == Opcode::kCollectivePermute ? bytes
                                                               : bytes * (size - 1) / size;
  }
  return cost;
}

}  // namespace tessera::sharding::partition
