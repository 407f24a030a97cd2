// What the partitioner can find out about a node, as a number.
//
//   states.Of(x) == states.Of(y);
//       // true: whatever is done with x can be done with y, and the same comes of it
//
// That is: opcode, shape, marks, equal data, whether it is a scalar's broadcast; and the same of the
// nodes that are remembered as its reshards and windows, and of theirs. Which instruction made the
// node, or what its operands are, is no part of it: nobody asks.
//
// Cost: a look-up for a node of which nothing is remembered, or nothing new; else linear in what
// can be reached through memory. Tested by repeats_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_NODE_STATES_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_NODE_STATES_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

// How a node is reached from another one, through what is remembered of it.
struct NodePath {
  int32_t start = 0;                      // index of the node to start from
  absl::InlinedVector<int32_t, 2> steps;  // which of the public entries of the memory
  bool to_scalar = false;                 // at last to the operand of a broadcast
  bool IsOperand() const { return steps.empty() && !to_scalar; }
};
NodeId Follow(const NodePath& path, NodeId start, Graph& graph);

class NodeStates {
 public:
  using State = uint32_t;

  explicit NodeStates(Graph& graph) : graph_(graph) {}

  State Of(NodeId node) { return graph_.node(node).has_memory ? OfKnown(node) : OfAlone(node); }
  // What Of would find for a node like this one, which is no broadcast.
  State OfModel(const Node& model) { return Alone(model, false); }
  // Says what Of would find.
  void Set(NodeId node, State state) { graph_.clusters().Keep(node, state); }

  // Adds the node and all that it leads to.
  struct Reached {
    NodeId node;
    NodePath path;
  };
  void Reach(NodeId node, int32_t start, std::vector<Reached>* out) const;

 private:
  State OfAlone(NodeId node) {
    const State known = graph_.node(node).state;
    return known != 0 ? known : FindAlone(node);
  }
  State FindAlone(NodeId node);
  State OfKnown(NodeId node);
  State Alone(const Node& node, bool is_scalar_broadcast);
  State OfCluster(NodeId node);

  Graph& graph_;
  Numbering alone_, clusters_;
  std::vector<uint64_t> words_;  // of one cluster
  std::vector<NodeId> nodes_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_NODE_STATES_H_
