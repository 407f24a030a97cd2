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

bool MayMask(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kSelect || opcode == hlo::Opcode::kMultiply;
}

// Sums of which XLA makes one kernel.
class JoinedSums {
 public:
  JoinedSums(const Dataflow& flow, std::vector<Kernel>* kernels) : flow_(flow), kernels_(*kernels) {
    for (size_t k = 0; k < kernels_.size(); ++k) {
      for (const ValueId v : kernels_[k].makes) makers_[v] = k;
      if (SummedToNumber(flow_, kernels_[k]) != nullptr) sums_.push_back(k);
    }
  }

  void Run() {
    for (size_t i = 0; i < sums_.size(); ++i) {
      for (size_t j = i + 1; j < sums_.size(); ++j) {
        if (!AreJoined(sums_[i], sums_[j])) continue;
        Follow(sums_[i], sums_[j]);
        Follow(sums_[j], sums_[i]);
      }
    }
  }

 private:
  bool AreJoined(size_t a, size_t b) const {
    const layout::Shape* const of_a = SummedToNumber(flow_, kernels_[a]);
    if (of_a->dims() != SummedToNumber(flow_, kernels_[b])->dims()) return false;
    const std::vector<ValueId> reads = ReadsOf(a);
    const bool share =
        absl::c_any_of(ReadsOf(b), [&](ValueId v) { return absl::c_linear_search(reads, v); });
    return share && !DependsOn(a, b) && !DependsOn(b, a);
  }

  // Of a sum, and of what masks its operand, which XLA computes in the kernel.
  std::vector<ValueId> ReadsOf(size_t sum) const {
    std::vector<ValueId> reads(kernels_[sum].reads.begin(), kernels_[sum].reads.end());
    for (const ValueId v : kernels_[sum].reads) {
      const auto maker = makers_.find(v);
      if (maker == makers_.end()) continue;
      const Kernel& kernel = kernels_[maker->second];
      if (!MayMask(flow_.nodes[kernel.node].opcode)) continue;
      reads.insert(reads.end(), kernel.reads.begin(), kernel.reads.end());
    }
    return reads;
  }

  // Whether kernel `k` needs what kernel `on` makes.
  bool DependsOn(size_t k, size_t on) const {
    std::vector<size_t> needed = {k};
    absl::flat_hash_set<size_t> seen;
    while (!needed.empty()) {
      const size_t at = needed.back();
      needed.pop_back();
      if (at == on) return true;
      for (const ValueId v : kernels_[at].reads) {
        const auto maker = makers_.find(v);
        if (maker != makers_.end() && seen.insert(maker->second).second)
          needed.push_back(maker->second);
      }
    }
    return false;
  }

  // What reads one sum runs after the other is made.
  void Follow(size_t read, size_t other) {
    const ValueId sum = kernels_[read].makes[0], made = kernels_[other].makes[0];
    for (Kernel& kernel : kernels_) {
      if (!absl::c_linear_search(kernel.reads, sum)) continue;
      if (!absl::c_linear_search(kernel.reads, made)) kernel.reads.push_back(made);
    }
  }

  const Dataflow& flow_;
  std::vector<Kernel>& kernels_;
  absl::flat_hash_map<ValueId, size_t> makers_;
  std::vector<size_t> sums_;  // to one number
};

}  // namespace

void FollowSumsOfMasks(const Dataflow& flow, ScopeKernels* scope) {
  JoinedSums(flow, &scope->kernels).Run();
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
