// Which nodes of a computation in the form of HLO stand for each instruction of the module.
//
//   NodeLists lists(module.num_instructions());
//   lists.Add(id, node);
//   lists.Of(id);        // {node}
//   lists.instructions() // those with nodes, in the order in which they got their first
//   lists.Clear();       // for the next computation
//
// One table serves all computations of a module, one after the other: clearing it costs what was
// added, not its size.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_NODE_LISTS_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_NODE_LISTS_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

class NodeLists {
 public:
  using List = absl::InlinedVector<sharding::passes::NodeId, 4>;

  explicit NodeLists(size_t num_instructions) : lists_(num_instructions) {}

  const List& Of(hlo::InstructionId id) const { return lists_[id]; }
  List& Of(hlo::InstructionId id) { return lists_[id]; }
  void Add(hlo::InstructionId id, sharding::passes::NodeId node) {
    if (lists_[id].empty()) instructions_.push_back(id);
    List& list = lists_[id];
    list.push_back(node);
    if (list.size() == kFew + 1) {
      for (sharding::passes::NodeId known : list) members_.insert({id, known});
    } else if (list.size() > kFew) {
      members_.insert({id, node});
    }
  }
  bool Has(hlo::InstructionId id, sharding::passes::NodeId node) const {
    const List& list = lists_[id];
    if (list.size() <= kFew) return std::find(list.begin(), list.end(), node) != list.end();
    return members_.contains({id, node});
  }
  // Sets the remaining list; no node is new.
  void Keep(hlo::InstructionId id, List list) {
    if (lists_[id].size() > kFew) {
      for (sharding::passes::NodeId node : lists_[id]) members_.erase({id, node});
      if (list.size() > kFew) {
        for (sharding::passes::NodeId node : list) members_.insert({id, node});
      }
    }
    lists_[id] = std::move(list);
  }
  absl::Span<const hlo::InstructionId> instructions() const { return instructions_; }
  void Clear() {
    for (hlo::InstructionId id : instructions_) lists_[id].clear();
    instructions_.clear();
    members_.clear();
  }

 private:
  static constexpr size_t kFew = 8;

  std::vector<List> lists_;
  std::vector<hlo::InstructionId> instructions_;
  // The nodes of lists of more than kFew.
  absl::flat_hash_set<std::pair<hlo::InstructionId, sharding::passes::NodeId>> members_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_NODE_LISTS_H_
