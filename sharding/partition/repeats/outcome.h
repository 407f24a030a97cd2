// What a visit did, written down so that it can be done again on other nodes.
//
//   OutcomeWriter writer(graph, states);
//   writer.Begin(scope, operands);      // of the visit that is to be made
//   node = ..;                          // the visit itself
//   writer.End(node);                   // null: it used what cannot be found again
//
// Nodes are named by Refs: those that were made by their number, those that were there by the way
// from the operands to them (node_states.h). Nodes that nothing leads to are left out. Tested by
// repeats_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_OUTCOME_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_OUTCOME_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/reshard/node_states.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// A node: of the outcome (its index), or one of before (~ its index in `before`).
using Ref = int32_t;

struct Outcome {
  std::vector<Node> nodes;
  std::vector<Ref> operands;     // of one node after the other
  std::vector<NodePath> before;  // nodes that were there, from the operands on
  Ref result = 0;
  // All of it is one new node of operands of the visit, which its own operands name: ~ their place.
  bool is_direct = false;
  bool touches = false;             // anything but new nodes: what follows
  std::vector<Scope::Line> memory;  // nodes are Refs
  std::vector<std::pair<Ref, Node>> marked;
  // When all is done, of those of which something is remembered.
  std::vector<std::pair<Ref, NodeStates::State>> states;
};

class OutcomeWriter {
 public:
  OutcomeWriter(Graph& graph, NodeStates& states) : graph_(graph), states_(states) {}

  // `operands`: each node once, with its place among the operands.
  void Begin(Scope& scope, const std::vector<std::pair<int32_t, NodeId>>& operands);
  std::unique_ptr<Outcome> End(NodeId result);

 private:
  void Need(NodeId id);
  void NumberNodes(NodeId result);
  Ref RefOf(NodeId id);
  void WriteMemory();
  void WriteNodes();
  void WriteStates(NodeId result);
  void FindDirect();

  Graph& graph_;
  NodeStates& states_;
  Scope* scope_ = nullptr;
  NodeId first_ = 0;  // of the visit
  std::vector<NodeId> operands_;
  std::vector<Scope::Line> journal_;
  std::vector<NodeId> marked_;
  std::vector<NodeStates::Reached> reached_;

  std::unique_ptr<Outcome> out_;
  std::vector<int32_t> index_;  // of new nodes; -1: left out
  std::vector<NodeId> before_;
  bool is_good_ = true;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_OUTCOME_H_
