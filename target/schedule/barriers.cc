#include "tessera/target/schedule/barriers.h"

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

constexpr size_t kMost = 64;

}  // namespace

std::vector<ValueId> HeldBackBy(const Dataflow& flow, const KeptValues& kept, NodeId n) {
  std::vector<ValueId> held;
  std::vector<NodeId> nodes = {n};
  for (size_t k = 0; k < nodes.size() && k < kMost; ++k) {
    const Node& node = flow.nodes[nodes[k]];
    const bool is_barrier = node.opcode == hlo::Opcode::kOptBarrier;
    for (const ValueId operand : node.operands) {
      if (is_barrier)
        held.insert(held.end(), kept.sources[operand].begin(), kept.sources[operand].end());
      const NodeId maker = flow.values[operand].node;
      const bool is_anew = maker != kNone && !kept.is_kept[operand];
      if (is_anew && !absl::c_linear_search(nodes, maker)) nodes.push_back(maker);
    }
  }
  return held;
}

}  // namespace tessera::target
