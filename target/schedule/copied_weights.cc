#include "tessera/target/schedule/copied_weights.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"

namespace tessera::target {
namespace {

using layout::Shape;

// Neither of the two most minor dimensions is summed or of a batch.
bool HasFreeTiles(const Shape& laid, const hlo::IntList& summed, const hlo::IntList& batch) {
  if (laid.rank() < 3) return false;
  const auto order = laid.layout().minor_to_major;
  return absl::c_all_of(absl::MakeConstSpan(order).first(2), [&](int64_t d) {
    return laid.dim(d) > 1 && !absl::c_linear_search(summed, d) && !absl::c_linear_search(batch, d);
  });
}

bool RunsInLoop(const Dataflow& flow, ScopeId s) {
  for (; flow.scopes[s].owner != kNone; s = flow.scopes[s].parent) {
    if (flow.nodes[flow.scopes[s].owner].opcode == hlo::Opcode::kWhile) return true;
  }
  return false;
}

}  // namespace

std::vector<ValueId> CopiedWeights(const Dataflow& flow, absl::FunctionRef<Shape(ValueId)> laid) {
  const absl::flat_hash_set<ValueId> arguments(flow.arguments.begin(), flow.arguments.end());
  std::vector<ValueId> copied;
  for (const Node& node : flow.nodes) {
    if (node.opcode != hlo::Opcode::kDot || !RunsInLoop(flow, node.scope)) continue;
    const hlo::DotDimensions dims = hlo::GetDotDimensions(*flow.module, node.instruction);
    const auto copy_if = [&](ValueId v, const hlo::IntList& summed, const hlo::IntList& batch) {
      if (arguments.contains(v) && HasFreeTiles(laid(v), summed, batch)) copied.push_back(v);
    };
    copy_if(node.operands[0], dims.lhs_contracting, dims.lhs_batch);
    copy_if(node.operands[1], dims.rhs_contracting, dims.rhs_batch);
  }
  return copied;
}

}  // namespace tessera::target
