#include "tessera/target/schedule/loss_kernels.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/shape.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

bool IsPick(const Dataflow& flow, ValueId v) {
  const Node* maker = flow.NodeOf(v);
  return maker != nullptr && maker->opcode == hlo::Opcode::kGather;
}

// Of one row of logits each. XLA takes away a dimension of 1, and such sums are in other kernels.
bool IsSumOfRows(const Dataflow& flow, ValueId v, std::optional<int64_t> rows) {
  const Node* maker = flow.NodeOf(v);
  const layout::Shape& shape = *flow.values[v].shape;
  return maker != nullptr && maker->opcode == hlo::Opcode::kReduce && shape.NumElements() == rows &&
         !absl::c_linear_search(shape.dims(), 1);
}

// The sums that the kernel of a loss shares with the gradient.
std::vector<ValueId> SharedSums(const Dataflow& flow, const Kernel& kernel) {
  if (kernel.makes.size() != 1 || !IsReduction(flow.nodes[kernel.node].opcode)) return {};
  const auto pick = absl::c_find_if(kernel.reads, [&](ValueId v) { return IsPick(flow, v); });
  if (pick == kernel.reads.end()) return {};
  const std::optional<int64_t> rows = flow.values[*pick].shape->NumElements();
  std::vector<ValueId> sums;
  absl::c_copy_if(kernel.reads, std::back_inserter(sums),
                  [&](ValueId v) { return IsSumOfRows(flow, v, rows); });
  return sums;
}

}  // namespace

void FollowLosses(const Dataflow& flow, ScopeKernels* scope) {
  std::vector<Kernel>& kernels = scope->kernels;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const std::vector<ValueId> sums = SharedSums(flow, kernels[k]);
    if (sums.empty()) continue;
    for (size_t later = k + 1; later < kernels.size(); ++later) {
      const bool divides = absl::c_any_of(
          kernels[later].reads, [&](ValueId v) { return absl::c_linear_search(sums, v); });
      if (divides) kernels[later].reads.push_back(kernels[k].makes[0]);
    }
  }
}

}  // namespace tessera::target
