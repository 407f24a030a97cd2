// The nodes of a search in the order of their cost, then of their number, without a heap.
//
//   CostQueue queue;
//   queue.Push(CostQueue::kInside, {0, 0});       // cost, node
//   queue.Push(CostQueue::kBlockingOp, {1000, 1});
//   queue.Pop();                                  // {0, 0}
//
// There are three lists: places reached without blocking ops, by a step past one, and through one. Each is
// sorted as it grows: a breadth-first search finds the first, a step costs one, and each blocking op as much. Cost:
// constant for each node. Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_COST_QUEUE_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_COST_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::sharding::explain {

class CostQueue {
 public:
  using Entry = std::pair<int64_t, int>;  // cost, node
  enum Source { kInside, kStep, kBlockingOp };

  // Not before the last entry of the same source.
  void Push(Source source, const Entry& entry) { lists_[source].entries.push_back(entry); }
  bool empty() const { return First().empty(); }
  const Entry& front() const { return First().front(); }
  Entry Pop() {
    List& first = lists_[static_cast<size_t>(&First() - lists_.data())];
    return first.entries[first.next++];
  }

 private:
  struct List {
    std::vector<Entry> entries;
    size_t next = 0;
    bool empty() const { return next == entries.size(); }
    const Entry& front() const { return entries[next]; }
  };

  // An empty one if all are.
  const List& First() const {
    const List* first = &lists_[0];
    for (const List& list : lists_) {
      if (!list.empty() && (first->empty() || list.front() < first->front())) first = &list;
    }
    return *first;
  }

  std::array<List, 3> lists_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_COST_QUEUE_H_
