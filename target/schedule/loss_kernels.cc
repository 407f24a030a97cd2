#include "tessera/target/schedule/loss_kernels.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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

// What a kernel adds up to one number.
const layout::Shape* SummedToNumber(const Dataflow& flow, const Kernel& kernel) {
  const Node& node = flow.nodes[kernel.node];
  if (kernel.makes.size() != 1 || node.opcode != hlo::Opcode::kReduce) return nullptr;
  if (flow.values[kernel.makes[0]].shape->NumElements() != 1) return nullptr;
  return flow.values[node.operands[0]].shape;
}

// As many elements, of an array that both read.
bool SumAlike(const Dataflow& flow, const Kernel& a, const Kernel& b) {
  if (SummedToNumber(flow, a)->dims() != SummedToNumber(flow, b)->dims()) return false;
  return absl::c_any_of(a.reads, [&](ValueId v) { return absl::c_linear_search(b.reads, v); });
}

using Makers = absl::flat_hash_map<ValueId, size_t>;

// Whether kernel `k` needs what kernel `on` makes.
bool DependsOn(const std::vector<Kernel>& kernels, const Makers& makers, size_t k, size_t on) {
  std::vector<size_t> needed = {k};
  absl::flat_hash_set<size_t> seen;
  while (!needed.empty()) {
    const size_t at = needed.back();
    needed.pop_back();
    if (at == on) return true;
    for (const ValueId v : kernels[at].reads) {
      const auto maker = makers.find(v);
      if (maker != makers.end() && seen.insert(maker->second).second) needed.push_back(maker->second);
    }
  }
  return false;
}

// What reads `sum` runs after `other` is made.
void Follow(ValueId sum, ValueId other, std::vector<Kernel>* kernels) {
  for (Kernel& kernel : *kernels) {
    if (!absl::c_linear_search(kernel.reads, sum)) continue;
    if (!absl::c_linear_search(kernel.reads, other)) kernel.reads.push_back(other);
  }
}

}  // namespace

void FollowSumsOfMasks(const Dataflow& flow, ScopeKernels* scope) {
  std::vector<Kernel>& kernels = scope->kernels;
  Makers makers;
  std::vector<size_t> sums;
  for (size_t k = 0; k < kernels.size(); ++k) {
    for (const ValueId v : kernels[k].makes) makers[v] = k;
    if (SummedToNumber(flow, kernels[k]) != nullptr) sums.push_back(k);
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    for (size_t j = i + 1; j < sums.size(); ++j) {
      const size_t a = sums[i], b = sums[j];
      if (!SumAlike(flow, kernels[a], kernels[b])) continue;
      if (DependsOn(kernels, makers, a, b) || DependsOn(kernels, makers, b, a)) continue;
      Follow(kernels[a].makes[0], kernels[b].makes[0], &kernels);
      Follow(kernels[b].makes[0], kernels[a].makes[0], &kernels);
    }
  }
}

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
