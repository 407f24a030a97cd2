// Which nodes of a plan's computation stand for each instruction of the module.
//
//   NodeLists lists(module.num_instructions());
//   lists.Add(id, node);
//   lists.Of(id);        // {node}
//   lists.instructions() // those with nodes, in the order in which they got their first
//   lists.Clear();       // for the next computation
//
// One table serves all computations of a module, one after the other: clearing it costs what was
// added, not its size.

#ifndef TESSERA_PIPELINE_WRITERS_NODE_LISTS_H_
#define TESSERA_PIPELINE_WRITERS_NODE_LISTS_H_

#include <cstddef>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/export_plan.h"

namespace tessera::pipeline::writers {

class NodeLists {
 public:
  using List = absl::InlinedVector<sharding::graph::NodeId, 4>;

  explicit NodeLists(size_t num_instructions) : lists_(num_instructions) {}

  const List& Of(hlo::InstructionId id) const { return lists_[id]; }
  List& Of(hlo::InstructionId id) { return lists_[id]; }
  void Add(hlo::InstructionId id, sharding::graph::NodeId node) {
    if (lists_[id].empty()) instructions_.push_back(id);
    lists_[id].push_back(node);
  }
  absl::Span<const hlo::InstructionId> instructions() const { return instructions_; }
  void Clear() {
    for (hlo::InstructionId id : instructions_) lists_[id].clear();
    instructions_.clear();
  }

 private:
  std::vector<List> lists_;
  std::vector<hlo::InstructionId> instructions_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_NODE_LISTS_H_
