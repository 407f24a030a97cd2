#include "tessera/target/schedule/kernel_order.h"

#include <numeric>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/schedule/alive.h"

namespace tessera::target {
namespace {

// Of the kernels that can run, the one with the largest score, and of these the first of the module.
class ListOrder {
 public:
  ListOrder(const ScopeKernels& scope, const Homes& homes, absl::Span<const int64_t> bytes)
      : scope_(scope),
        homes_(homes),
        bytes_(bytes),
        waits_(scope.kernels.size()),
        next_(scope.kernels.size()),
        done_(scope.kernels.size()) {
    for (uint32_t k = 0; k < scope.kernels.size(); ++k) {
      for (const ValueId v : scope.kernels[k].makes) makers_[v] = k;
    }
    for (uint32_t k = 0; k < scope.kernels.size(); ++k) Connect(k);
    for (const ValueId v : scope.at_end) ++left_[homes.of[v]];
  }

  std::vector<uint32_t> Run() {
    for (uint32_t k = 0; k < waits_.size(); ++k) {
      if (waits_[k] == 0) ready_.emplace(Score(k), -static_cast<int64_t>(k));
    }
    while (!ready_.empty()) {
      const auto [score, negative] = ready_.top();
      ready_.pop();
      const auto k = static_cast<uint32_t>(-negative);
      if (!done_[k] && score == Score(k)) Take(k);
    }
    // What waits for itself, by updates in place: in the order of the module.
    for (uint32_t k = 0; k < done_.size(); ++k) {
      if (!done_[k]) order_.push_back(k);
    }
    return std::move(order_);
  }

 private:
  void Connect(uint32_t k) {
    const Kernel& kernel = scope_.kernels[k];
    for (const ValueId v : kernel.reads) {
      ++left_[homes_.of[v]];
      readers_[homes_.of[v]].push_back(k);
      const auto maker = makers_.find(v);
      if (maker != makers_.end()) Wait(k, maker->second);
    }
    for (const ValueId v : kernel.follows) {
      const auto maker = makers_.find(v);
      if (maker != makers_.end() && maker->second < k) Wait(k, maker->second);
    }
    for (const ValueId v : kernel.makes) {
      if (homes_.of[v] != v) WaitForReaders(k, homes_.of[v]);
    }
  }

  // It writes to that memory: who reads it comes first. Those after it in the module read what it
  // makes.
  void WaitForReaders(uint32_t k, ValueId home) {
    for (const uint32_t other : readers_[home]) {
      if (other < k) Wait(k, other);
    }
  }

  void Wait(uint32_t k, uint32_t on) {
    next_[on].push_back(k);
    ++waits_[k];
  }

  int64_t Weight(ValueId home) const { return homes_.is_free[home] ? 0 : bytes_[home]; }

  // XLA counts what a reader frees as it becomes ready. Elements of a loop are all in use then, by each other's
  // get-tuple-element.
  bool IsOfLoop(ValueId v) const {
    const auto maker = makers_.find(v);
    return maker != makers_.end() && scope_.kernels[maker->second].consumes.size() > 1;
  }

  // What it frees, less what it makes, in the memory of a result or not. XLA does not count that as free.
  int64_t Score(uint32_t k) const {
    const Kernel& kernel = scope_.kernels[k];
    int64_t score = 0;
    for (const ValueId v : kernel.reads) {
      const auto left = left_.find(homes_.of[v]);
      if (IsOfLoop(v)) continue;
      if (left != left_.end() && left->second == 1) score += Weight(homes_.of[v]);
    }
    for (const ValueId v : kernel.makes) {
      if (homes_.of[v] == v) score -= bytes_[v];
    }
    return score;
  }

  void Take(uint32_t k) {
    done_[k] = true;
    order_.push_back(k);
    for (const ValueId v : scope_.kernels[k].reads) {
      if (--left_[homes_.of[v]] != 1) continue;
      for (const uint32_t r : readers_[homes_.of[v]]) {
        if (!done_[r] && waits_[r] == 0) ready_.emplace(Score(r), -static_cast<int64_t>(r));
      }
    }
    for (const uint32_t n : next_[k]) {
      if (--waits_[n] == 0) ready_.emplace(Score(n), -static_cast<int64_t>(n));
    }
  }

  const ScopeKernels& scope_;
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  absl::flat_hash_map<ValueId, uint32_t> makers_;
  absl::flat_hash_map<ValueId, int> left_;  // by home: kernels that read it and are not done
  absl::flat_hash_map<ValueId, std::vector<uint32_t>> readers_;  // by home
  std::vector<int> waits_;                                       // by kernel
  std::vector<std::vector<uint32_t>> next_;                      // by kernel
  std::vector<bool> done_;
  std::vector<uint32_t> order_;
  std::priority_queue<std::pair<int64_t, int64_t>> ready_;  // score, less its number
};

std::vector<uint32_t> OwnOrder(const ScopeKernels& scope) {
  std::vector<uint32_t> order(scope.kernels.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

}  // namespace

std::vector<uint32_t> LeastMemoryOrder(const ScopeKernels& scope, const Homes& homes,
                                       absl::Span<const int64_t> bytes) {
  return ListOrder(scope, homes, bytes).Run();
}

std::vector<std::vector<uint32_t>> MemoryOrders(const ScopeKernels& scope, const Homes& homes,
                                                absl::Span<const int64_t> bytes, PathLimit limit) {
  return {OwnOrder(scope), LeastMemoryOrder(scope, homes, bytes),
          DepthFirstOrder(scope, bytes, limit)};
}

}  // namespace tessera::target
