// What a value that has no memory is computed of.

#include "absl/algorithm/container.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {

void KeptValues::Keep(ValueId v) {
  is_kept[v] = true;
  sources[v].assign(1, v);
}

// Of a view of several values: of its operand alone.
void KeptValues::CollectSources(const Node& node, size_t k) {
  auto& found = sources[node.results[k]];
  found.clear();
  if (node.opcode == hlo::Opcode::kOptBarrier) {
    found = sources[node.operands[k]];
    return;
  }
  for (const ValueId operand : node.operands) {
    for (const ValueId s : sources[operand]) {
      if (found.size() > kMaxSources) return;
      if (!absl::c_linear_search(found, s)) found.push_back(s);
    }
  }
}

}  // namespace tessera::target
