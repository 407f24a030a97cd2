// What the partitioner can find out about a node, as a number.
//
//   states.Of(x, scope) == states.Of(y, scope);
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
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// How a node is reached from another one, through what is remembered of it.
struct NodePath {
  struct Step {
    int32_t scope;  // its number
    int32_t entry;
    bool is_window;
  };
  int32_t start = 0;  // index of the node to start from
  absl::InlinedVector<Step, 1> steps;
  bool to_scalar = false;  // at last to the operand of a broadcast
};
NodeId Follow(const NodePath& path, NodeId start, Scope& scope);

class NodeStates {
 public:
  using State = uint32_t;

  explicit NodeStates(Graph& graph) : graph_(graph) {}

  // `scope`: of all devices, of the body that the node is in.
  State Of(NodeId node, Scope& scope);
  // Says what Of would find.
  void Set(NodeId node, State state);

  // The node and all that it leads to.
  struct Reached {
    NodeId node;
    NodePath path;
  };
  std::vector<Reached> Reach(NodeId node, int32_t start, Scope& scope) const;

 private:
  using Numbers = std::vector<int64_t>;
  using Alone = std::tuple<const Shape*, uint64_t, uint64_t>;
  struct Kept {
    State state = 0;
    uint32_t change = 0;  // of the cluster when the state was found
  };

  State Next() { return ++last_; }
  State Known(const Numbers& numbers);
  State OfAlone(NodeId node);
  State OfCluster(NodeId node, Scope& scope);
  int64_t NumberOf(const Tiling& tiling);
  void AppendMemory(const Scope& scope, NodeId node, std::vector<NodeId>& nodes, Numbers& out);
  void AppendValue(const Value& value, std::vector<NodeId>& nodes, Numbers& out);
  bool IsScalarBroadcast(NodeId node) const;

  Graph& graph_;
  State last_ = 0;
  bool is_unique_ = false;  // met what nothing else can be like
  std::vector<Kept> kept_;  // by node
  absl::flat_hash_map<Alone, State> alone_;
  absl::flat_hash_map<Numbers, State> known_;
  absl::flat_hash_map<Numbers, int64_t> tilings_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_NODE_STATES_H_
