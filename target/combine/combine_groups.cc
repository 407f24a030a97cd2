#include "tessera/target/combine/combine_groups.h"

#include <algorithm>
#include <utility>

#include "tessera/target/combine/height_groups.h"

namespace tessera::target {
namespace {

constexpr int kNoKey = -1;

// Kernels, and from graph.operands.size() on groups, as nodes.
class Scanner {
 public:
  Scanner(const KernelGraph& graph, const std::vector<CombineCandidate>& candidates,
          const CombineLimits& limits)
      : graph_(graph), limits_(limits), order_(PostOrder(graph)) {
    const size_t nodes = graph.operands.size();
    key_.assign(nodes, kNoKey);
    bytes_.assign(nodes, 0);
    marks_.assign(nodes, 0);
    for (KernelId k = 0; k < nodes; ++k) node_of_.push_back(k);
    for (const CombineCandidate& c : candidates) {
      key_[c.kernel] = c.key;
      bytes_[c.kernel] = c.bytes;
      if (left_.size() <= static_cast<size_t>(c.key)) left_.resize(static_cast<size_t>(c.key) + 1);
      ++left_[static_cast<size_t>(c.key)];
    }
    nothing_ = AddNode({});
  }

  std::vector<std::vector<KernelId>> Run() {
    std::vector<std::vector<KernelId>> groups;
    for (; begin_ < order_.size(); ++begin_) {
      while (key_[order_[begin_]] != kNoKey) {
        std::vector<KernelId> group = FirstGroup();
        if (group.size() < 2) continue;
        MakeOne(group);
        groups.push_back(std::move(group));
      }
    }
    return groups;
  }

 private:
  // Candidates leave their key when they join or are left out.
  void Drop(KernelId kernel) {
    --left_[static_cast<size_t>(key_[kernel])];
    key_[kernel] = kNoKey;
  }

  template <typename Visit>
  void ForEachOperand(KernelId node, Visit&& visit) const {
    const auto visit_all = [&](KernelId kernel) {
      for (const KernelId operand : graph_.operands[kernel]) visit(node_of_[operand]);
    };
    if (node < graph_.operands.size()) return visit_all(node);
    for (const KernelId member : members_[node - graph_.operands.size()]) visit_all(member);
  }

  bool ReadsMarked(KernelId node) const {
    bool reads = false;
    ForEachOperand(node, [&](KernelId operand) { reads |= marks_[operand] == mark_; });
    return reads;
  }

  // From begin_ on; first_ and last_ are the places of its ends. Marked is what needs a member.
  std::vector<KernelId> FirstGroup() {
    ++mark_;
    std::vector<KernelId> group;
    int64_t room = limits_.bytes;
    int key = kNoKey;
    for (size_t at = begin_; at < order_.size(); ++at) {
      const KernelId node = order_[at];
      const bool needs_group = ReadsMarked(node);
      if (needs_group) marks_[node] = mark_;
      if (group.empty()) key = key_[node];
      if (key == kNoKey || key_[node] != key) continue;
      if (bytes_[node] <= limits_.bytes) {
        if (needs_group) break;
        if (bytes_[node] > room) break;
        if (group.empty()) first_ = at;
        group.push_back(node);
        marks_[node] = mark_;
        room -= bytes_[node];
        last_ = at;
      }
      Drop(node);
      if (group.size() >= limits_.count || left_[static_cast<size_t>(key)] == 0) break;
    }
    return group;
  }

  KernelId AddNode(const std::vector<KernelId>& group) {
    const KernelId node = static_cast<KernelId>(marks_.size());
    members_.push_back(group);
    key_.push_back(kNoKey);
    bytes_.push_back(0);
    marks_.push_back(0);
    for (const KernelId member : group) node_of_[member] = node;
    return node;
  }

  // Sorts order_[first_ .. last_] anew. All after it stay where they are.
  void MakeOne(const std::vector<KernelId>& group) {
    const KernelId node = AddNode(group);
    const std::vector<KernelId> stretch(order_.begin() + static_cast<ptrdiff_t>(first_),
                                        order_.begin() + static_cast<ptrdiff_t>(last_) + 1);
    ++mark_;  // of what is to be placed
    for (const KernelId old : stretch) {
      const bool is_member = old < node_of_.size() && node_of_[old] == node;
      if (!is_member) marks_[old] = mark_;
    }
    std::vector<KernelId> sorted;
    Place(node, &sorted);
    for (const KernelId old : stretch) {
      if (marks_[old] == mark_ && old != nothing_) sorted.push_back(old);
    }
    sorted.resize(stretch.size(), nothing_);
    std::copy(sorted.begin(), sorted.end(), order_.begin() + static_cast<ptrdiff_t>(first_));
  }

  // A node after all that it reads and that is not placed yet.
  void Place(KernelId start, std::vector<KernelId>* sorted) {
    std::vector<std::pair<KernelId, bool>> stack = {{start, false}};
    marks_[start] = mark_;
    while (!stack.empty()) {
      const auto [top, is_done] = stack.back();
      stack.pop_back();
      if (is_done) sorted->push_back(top);
      if (is_done || marks_[top] != mark_) continue;
      marks_[top] = 0;
      stack.emplace_back(top, true);
      const size_t first = stack.size();
      ForEachOperand(top, [&](KernelId operand) { stack.emplace_back(operand, false); });
      std::reverse(stack.begin() + static_cast<ptrdiff_t>(first), stack.end());
    }
  }

  const KernelGraph& graph_;
  const CombineLimits limits_;
  std::vector<KernelId> order_;  // of nodes; in front of begin_ no candidate is left
  size_t begin_ = 0, first_ = 0, last_ = 0;
  std::vector<int> key_;         // by node
  std::vector<int64_t> bytes_;   // by node
  std::vector<uint32_t> marks_;  // by node; the present mark is mark_
  uint32_t mark_ = 0;
  KernelId nothing_ = 0;                        // the node that stands where members stood
  std::vector<KernelId> node_of_;               // by kernel: itself, or its group
  std::vector<std::vector<KernelId>> members_;  // by node, less the kernels
  std::vector<size_t> left_;                    // by key: candidates
};

}  // namespace

std::vector<std::vector<KernelId>> CombineGroups(const KernelGraph& graph,
                                                 const std::vector<CombineCandidate>& candidates,
                                                 const CombineLimits& limits) {
  return limits.by_height ? GroupsByHeight(graph, candidates, limits)
                          : Scanner(graph, candidates, limits).Run();
}

}  // namespace tessera::target
