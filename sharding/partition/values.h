// The partitioned value of each instruction: the node of its shards, and its sharding.
//
//   values.Set(id, {node, leaves, shape, false});
//   values.Of(id).leaves;      // the sharding; in V1 form if an earlier reader converted the node
//
// Indexed by instruction: of the current body and of those around it. No computation is partitioned
// inside itself. XLA: SpmdPartitioningVisitor::partitioned_instructions_. Tested by
// partitioner_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_VALUES_H_
#define TESSERA_SHARDING_PARTITION_VALUES_H_

#include <cstddef>

#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/reshard/pool.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

// The value of an instruction.
struct ValueState {
  NodeId node = -1;
  LeafLists::Id leaves = LeafLists::kEmpty;
  hlo::ShapeId shape = 0;
  bool is_constant = false;
};

class Values {
 public:
  Values(const Graph& graph, LeafLists& lists, size_t instructions) : graph_(graph), lists_(lists) {
    states_of_.Room(instructions);
    states_of_.Add(instructions);
  }

  // With its tiling in the form that its readers so far have left it in.
  const ValueState& Of(hlo::InstructionId id) {
    ValueState& state = states_of_[id];
    if (graph_.node(state.node).is_v1) state.leaves = lists_.FirstAsV1(state.leaves);
    return state;
  }
  void Set(hlo::InstructionId id, const ValueState& state) { states_of_[id] = state; }

 private:
  const Graph& graph_;
  LeafLists& lists_;
  Pool<ValueState> states_of_;  // nothing is read before it is set
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_VALUES_H_
