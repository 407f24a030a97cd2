#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/schedule/kernel_order.h"

namespace tessera::target {
namespace {

class DepthFirst {
 public:
  DepthFirst(const ScopeKernels& scope, absl::Span<const int64_t> bytes, PathLimit limit)
      : scope_(scope), reads_(scope.kernels.size()), weights_(scope.kernels.size()) {
    absl::flat_hash_map<ValueId, uint32_t> makers;
    int64_t all = 0;
    for (uint32_t k = 0; k < scope.kernels.size(); ++k) {
      for (const ValueId v : scope.kernels[k].makes) {
        makers[v] = k;
        weights_[k].bytes += bytes[v];
      }
      all += weights_[k].bytes;
    }
    std::vector<int> users(scope.kernels.size());
    for (uint32_t k = 0; k < scope.kernels.size(); ++k) {
      reads_[k] = MakersOf(scope.kernels[k].reads, makers);
      for (const uint32_t r : reads_[k]) ++users[r];
    }
    ends_ = MakersOf(scope.at_end, makers);
    for (const uint32_t k : ends_) ++users[k];
    if (limit == PathLimit::kOfAll) {
      AddUp(users, all);
    } else {
      AddUpToFront(users);
    }
  }

  std::vector<uint32_t> Run() {
    seen_.resize(scope_.kernels.size());
    VisitAll(ends_);
    for (uint32_t k = 0; k < seen_.size(); ++k) VisitAll({k});
    return std::move(order_);
  }

 private:
  struct Weight {
    int64_t others = 0;  // that wait for it, and for what it reads
    int64_t bytes = 0;   // of it and of what it reads
  };
  using Kernels = std::vector<uint32_t>;

  static Kernels MakersOf(absl::Span<const ValueId> values,
                          const absl::flat_hash_map<ValueId, uint32_t>& makers) {
    Kernels found;
    absl::flat_hash_set<uint32_t> known;
    for (const ValueId v : values) {
      const auto maker = makers.find(v);
      if (maker != makers.end() && known.insert(maker->second).second)
        found.push_back(maker->second);
    }
    return found;
  }

  // Operands are in front of their readers in the module.
  void AddUp(const std::vector<int>& users, int64_t all) {
    for (uint32_t k = 0; k < weights_.size(); ++k) AddUpFor(k, users[k], all);
  }

  void AddUpToFront(const std::vector<int>& users) {
    int64_t in_front = 0;
    for (uint32_t k = 0; k < weights_.size(); ++k) {
      in_front += weights_[k].bytes;
      AddUpFor(k, users[k], in_front);
      if (scope_.kernels[k].consumes.size() > 1) weights_[k].others = MostOthers();
    }
  }

  void AddUpFor(uint32_t k, int users, int64_t most_bytes) {
    Weight& weight = weights_[k];
    weight.others = std::max(users - 1, 0);
    for (const uint32_t r : reads_[k]) {
      weight.others = std::min(weight.others + weights_[r].others, MostOthers());
      weight.bytes = std::min(weight.bytes + weights_[r].bytes, most_bytes);
    }
  }

  int64_t MostOthers() const { return static_cast<int64_t>(weights_.size()); }

  void Push(Kernels kernels, std::vector<std::pair<Kernels, size_t>>* stack) const {
    absl::c_stable_sort(kernels, [&](uint32_t a, uint32_t b) {
      if (weights_[a].others != weights_[b].others) return weights_[a].others > weights_[b].others;
      return weights_[a].bytes > weights_[b].bytes;
    });
    stack->emplace_back(std::move(kernels), 0);
  }

  // A kernel is done when the list of what it reads is.
  void VisitAll(const Kernels& kernels) {
    std::vector<std::pair<Kernels, size_t>> stack;
    std::vector<uint32_t> open;
    Push(kernels, &stack);
    while (!stack.empty()) {
      auto& [list, next] = stack.back();
      if (next == list.size()) {
        stack.pop_back();
        if (open.empty()) return;
        order_.push_back(open.back());
        open.pop_back();
        continue;
      }
      const uint32_t k = list[next++];
      if (seen_[k]) continue;
      seen_[k] = true;
      open.push_back(k);
      Push(reads_[k], &stack);
    }
  }

  const ScopeKernels& scope_;
  std::vector<Kernels> reads_;   // by kernel: who makes what it reads
  std::vector<Weight> weights_;  // by kernel
  Kernels ends_;
  std::vector<bool> seen_;
  Kernels order_;
};

}  // namespace

std::vector<uint32_t> DepthFirstOrder(const ScopeKernels& scope, absl::Span<const int64_t> bytes,
                                      PathLimit limit) {
  return DepthFirst(scope, bytes, limit).Run();
}

}  // namespace tessera::target
