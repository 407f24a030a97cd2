#include "tessera/target/combine/height_groups.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"

namespace tessera::target {
namespace {

constexpr CombineCandidate kNone = {0, -1, 0};  // no key

struct Set {
  std::vector<KernelId> members;
  int64_t bytes = 0;
};

class ByHeight {
 public:
  ByHeight(KernelGraph graph, const std::vector<CombineCandidate>& candidates,
           const CombineLimits& limits)
      : graph_(std::move(graph)), limits_(limits), of_(graph_.operands.size(), kNone) {
    for (const CombineCandidate& c : candidates) {
      of_[c.kernel] = c;
      ++counts_[c.key];
    }
  }

  std::vector<std::vector<KernelId>> Run() {
    std::vector<std::vector<KernelId>> groups;
    for (const auto& [key, count] : counts_) {
      if (count < 2) continue;
      std::vector<MergedKernels> merged;
      for (Set& set : SetsOf(key)) {
        if (set.members.size() < 2) continue;
        groups.push_back(set.members);
        merged.push_back({std::move(set.members), kNoId});
      }
      Merge(merged, &graph_);
      of_.resize(graph_.operands.size(), kNone);
    }
    return groups;
  }

 private:
  std::vector<int> HeightsOf(int key, const std::vector<KernelId>& order) const {
    std::vector<int> heights(graph_.operands.size());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const int below = heights[*it] + (of_[*it].key == key ? 1 : 0);
      for (const KernelId operand : graph_.operands[*it]) {
        heights[operand] = std::max(heights[operand], below);
      }
    }
    return heights;
  }

  std::vector<Set> SetsOf(int key) const {
    const std::vector<KernelId> order = PostOrder(graph_);
    const std::vector<int> heights = HeightsOf(key, order);
    absl::btree_map<int, std::vector<Set>> by_height;
    for (const KernelId k : order) {
      if (of_[k].key == key && of_[k].bytes <= limits_.bytes) Add(of_[k], &by_height[heights[k]]);
    }
    std::vector<Set> sets;
    for (auto& [height, of_height] : by_height) absl::c_move(of_height, std::back_inserter(sets));
    return sets;
  }

  void Add(const CombineCandidate& c, std::vector<Set>* sets) const {
    const auto has_room = [&](const Set& set) {
      return set.members.size() < limits_.count && set.bytes + c.bytes <= limits_.bytes;
    };
    auto set = absl::c_find_if(*sets, has_room);
    if (set == sets->end()) set = sets->emplace(set);
    set->members.push_back(c.kernel);
    set->bytes += c.bytes;
  }

  KernelGraph graph_;
  const CombineLimits limits_;
  std::vector<CombineCandidate> of_;  // by kernel; kNone of others
  absl::btree_map<int, int> counts_;  // by key: its candidates
};

}  // namespace

std::vector<std::vector<KernelId>> GroupsByHeight(KernelGraph graph,
                                                  const std::vector<CombineCandidate>& candidates,
                                                  const CombineLimits& limits) {
  return ByHeight(std::move(graph), candidates, limits).Run();
}

}  // namespace tessera::target
