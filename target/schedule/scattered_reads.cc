#include "tessera/target/schedule/scattered_reads.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

bool GoesByCells(const Node& node) {
  return KindOf(node.opcode) == OpKind::kElementwise || node.opcode == Opcode::kAllReduce ||
         (KindOf(node.opcode) == OpKind::kView && node.opcode != Opcode::kTranspose);
}

// Computed by the kernel, as it has no memory or for another kernel writes it.
bool IsInside(const Dataflow& flow, const KeptValues& kept, ValueId v, const Kernel& kernel) {
  return !kept.is_kept[v] || absl::c_linear_search(kernel.makes, v) ||
         kept.recomputed.contains({kept.kernels[kernel.node], flow.values[v].node});
}

// A node, and whether each cell of it is needed at once.
using Open = std::pair<const Node*, bool>;

std::vector<Open> Results(const Dataflow& flow, const Kernel& kernel) {
  std::vector<Open> open;
  bool has_reduced = false;
  for (const ValueId v : kernel.makes) {
    const Node* node = flow.NodeOf(v);
    const bool is_first = node->opcode == Opcode::kReduce && !std::exchange(has_reduced, true);
    if (!is_first) open.emplace_back(node, false);
  }
  return open;
}

}  // namespace

void DropScattered(const Dataflow& flow, const KeptValues& kept, Kernel* kernel) {
  std::vector<Open> open = Results(flow, *kernel);
  absl::flat_hash_set<Open> seen(open.begin(), open.end());
  while (!open.empty() && !kernel->reuses.empty()) {
    const auto [node, is_scattered] = open.back();
    open.pop_back();
    const bool scatters = is_scattered || !GoesByCells(*node);
    for (const ValueId v : node->operands) {
      const auto reused = absl::c_find(kernel->reuses, v);
      if (scatters && reused != kernel->reuses.end()) kernel->reuses.erase(reused);
      if (absl::c_linear_search(kernel->makes, v)) kernel->alone.push_back(v);
      const Node* maker = flow.NodeOf(v);
      if (maker == nullptr || !IsInside(flow, kept, v, *kernel)) continue;
      if (seen.emplace(maker, scatters).second) open.emplace_back(maker, scatters);
    }
  }
}

}  // namespace tessera::target
