// What a visit did, written down so that it can be done again on other nodes.
//
//   OutcomeWriter writer(graph, states);
//   writer.Begin(scope);                // of the visit that is to be made
//   writer.Reach(place, operand);       // each of its operands
//   node = ..;                          // the visit itself
//   Outcome outcome = writer.End(node);
//   writer.pools().operands ..          // its parts are ranges there
//
// Nodes are named by Refs: those that were made by their number, those that were there by the way
// from the operands to them (node_states.h). Nodes that nothing leads to are left out. Outcomes are
// many and small, so all of them lie in common pools. Tested by repeats_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_OUTCOME_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_OUTCOME_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/partition/reshard/node_states.h"
#include "tessera/sharding/partition/reshard/scope.h"

namespace tessera::sharding::partition {

// A node: of the outcome (its index), or one of before (~ its index in `before`).
using Ref = int32_t;

struct OutcomePools {
  std::vector<Node> nodes;  // their operands are ranges of the next
  std::vector<Ref> operands;
  std::vector<NodePath> before;     // nodes that were there, from the operands on
  std::vector<Scope::Line> memory;  // nodes are Refs
  std::vector<std::pair<Ref, Node>> marked;
  // The states after the visit, of nodes with remembered reshards.
  std::vector<std::pair<Ref, NodeStates::State>> states;

  template <typename T>
  static absl::Span<const T> Part(const std::vector<T>& pool, hlo::PoolRange range) {
    return absl::MakeConstSpan(pool.data() + range.begin, range.size);
  }
};

struct Outcome {
  bool is_known = false;  // else it used what cannot be found again
  // All of it is one new node of operands of the visit, which its own operands name: ~ their place.
  bool is_direct = false;
  bool touches = false;  // anything but new nodes: what stands behind `before`
  Ref result = 0;
  hlo::PoolRange nodes, before, memory, marked, states;  // of the pools
};

class OutcomeWriter {
 public:
  OutcomeWriter(Graph& graph, NodeStates& states) : graph_(graph), states_(states) {}

  void Begin(Scope& scope);
  // An operand; each node once, with its place among the operands.
  void Reach(int32_t place, NodeId operand);
  Outcome End(NodeId result);
  const OutcomePools& pools() const { return pools_; }

 private:
  void Need(NodeId id);
  void NumberNodes(NodeId result);
  Ref RefOf(NodeId id);
  void WriteMarked();
  void WriteMemory();
  void WriteNodes();
  void WriteStates(NodeId result);
  bool IsDirect(const Outcome& out) const;
  void NameByPlace(const Outcome& direct);

  Graph& graph_;
  NodeStates& states_;
  Scope* scope_ = nullptr;
  NodeId first_ = 0;  // of the visit
  std::vector<NodeId> operands_;
  std::vector<Scope::Line> journal_;
  std::vector<NodeId> marked_;
  std::vector<NodeStates::Reached> reached_;

  OutcomePools pools_;
  std::vector<int32_t> index_;  // of new nodes; -1: left out
  std::vector<NodeId> before_;
  bool is_good_ = true;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_OUTCOME_H_
