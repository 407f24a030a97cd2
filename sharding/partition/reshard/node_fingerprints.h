// The facts about a node that a partitioner can read, as one number.
//
//   states.Of(x) == states.Of(y);
//       // true: the same step on x and on y gives the same result
//
// The facts: opcode, shape, marks, dimensions of equal data, whether it broadcasts a scalar; and
// the same facts of its cached reshards and window inputs. The operands of a node are not part of
// it: no partitioner reads them.
//
// Cost: a look-up for a node without new cached reshards; else linear in the nodes that they reach.
// Tested by visit_cache_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_NODE_FINGERPRINTS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_NODE_FINGERPRINTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

// The path from one node to another through cached reshards.
struct NodePath {
  int32_t start = 0;                      // index of the node to start from
  absl::InlinedVector<int32_t, 2> steps;  // which of the public entries of the memory
  bool to_scalar = false;                 // at last to the operand of a broadcast
  bool IsOperand() const { return steps.empty() && !to_scalar; }
};
NodeId Follow(const NodePath& path, NodeId start, Graph& graph);

class NodeFingerprints {
 public:
  using State = uint32_t;

  explicit NodeFingerprints(Graph& graph) : graph_(graph) {}

  State Of(NodeId node) { return graph_.node(node).has_reshards ? OfKnown(node) : OfAlone(node); }
  // What Of would find for a node like this one, which is no broadcast.
  State OfModel(const Node& model) { return Alone(model, false); }
  // Sets the result of Of().
  void Set(NodeId node, State state) { graph_.fingerprint_groups().Keep(node, state); }

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
  Numbering alone_, fingerprint_groups_;
  std::vector<uint64_t> words_;  // of one cluster
  std::vector<NodeId> nodes_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_NODE_FINGERPRINTS_H_
