// What each instruction became: the node of its shards, and how they lie.
//
//   values.Set(id, {node, leaves, shape, false});
//   values.Of(id).leaves;      // as written; in V1 form if an earlier reader converted the node
//
// By instruction: those of the body that is worked on, and of those around it. No computation is
// worked on inside of itself. Tested by partitioner_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_VALUES_H_
#define TESSERA_SHARDING_PARTITION_VALUES_H_

#include <cstddef>

#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/reshard/pool.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

// The value of an instruction.
struct Held {
  NodeId node = -1;
  LeafLists::Id leaves = LeafLists::kEmpty;
  hlo::ShapeId shape = 0;
  bool is_constant = false;
};

class Values {
 public:
  Values(const Graph& graph, LeafLists& lists, size_t instructions) : graph_(graph), lists_(lists) {
    held_.Room(instructions);
    held_.Add(instructions);
  }

  // With its tiling in the form that its readers so far have left it in.
  const Held& Of(hlo::InstructionId id) {
    Held& held = held_[id];
    if (graph_.node(held.node).in_tiles) held.leaves = lists_.FirstInTiles(held.leaves);
    return held;
  }
  void Set(hlo::InstructionId id, const Held& held) { held_[id] = held; }

 private:
  const Graph& graph_;
  LeafLists& lists_;
  Pool<Held> held_;  // nothing is read before it is set
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_VALUES_H_
