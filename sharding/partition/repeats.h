// Visits of instructions that are like earlier ones, done again from memory.
//
//   Repeats repeats(module, leaves, graph);
//   repeats.Ask(visit);
//   if (const auto node = repeats.Again()) return *node;
//   node = ..;                      // the visit itself
//   repeats.Keep(node);
//
// A network has the same layer twenty to sixty times. What the partitioner does with an instruction
// follows from its opcode, attributes, shapes and shardings, and from what can be found out about
// the nodes of its operands (node_states.h). Where all of these are those of an earlier visit, its
// outcome is copied: the new nodes, what was remembered, which nodes were marked.
//
// Only for operations that look at nothing else (`CanRepeat`), and not where two operands lead to
// the same node. Cost: a look-up, and what is copied. Tested by repeats_test.cc: with and without,
// the answers are the same.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/reshard/node_states.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

// The value of an instruction.
struct Held {
  NodeId node = -1;
  LeafLists::Id leaves = LeafLists::kEmpty;
};

// What is visited, and what its operands are.
struct Visited {
  hlo::InstructionId id = hlo::kNoId;
  LeafLists::Id leaves = LeafLists::kEmpty;
  bool unreduced = false;
  Scope* scope = nullptr;  // all devices, in the body
  absl::Span<const hlo::InstructionId> operand_ids;
  absl::InlinedVector<Held, 4> operands;
};

class Repeats {
 public:
  Repeats(const hlo::Module& module, Graph& graph)
      : module_(module), graph_(graph), states_(graph) {}

  // The visit that Again and Keep are about; it must live until then.
  void Ask(const Visited& visited);
  // The node of its result, if it was repeated.
  std::optional<NodeId> Again();
  // Writes down what the visit does from now on, until Keep.
  void Watch();
  void Keep(NodeId result);

 private:
  // A node: of the outcome (its index), or one of before (~ its index in `before`).
  using Ref = int32_t;
  struct Outcome {
    std::vector<Node> nodes;
    std::vector<Ref> operands;     // of one node after the other
    std::vector<NodePath> before;  // nodes that were there, from the operands on
    Ref result = 0;
    Scope::Journal journal;  // nodes are Refs, scopes numbers
    std::vector<std::pair<Ref, Node>> marked;
    std::vector<std::pair<Ref, NodeStates::State>> states;  // when all is done
  };
  using Key = absl::InlinedVector<uint64_t, 8>;
  struct Entry {
    Key key;
    hlo::InstructionId like;  // has the attributes
    int32_t next;             // of the same hash; -1: none
    std::unique_ptr<Outcome> outcome;
  };
  class Writer;

  bool CanRepeat() const;
  bool OperandsAreApart() const;
  void MakeKey();
  bool SameAttributes(hlo::InstructionId a, hlo::InstructionId b) const;
  bool SameLiterals(hlo::InstructionId a, hlo::InstructionId b) const;
  template <typename Each>
  void ForEachLiteral(hlo::InstructionId id, Each each) const;
  const Entry* Find() const;
  NodeId Copy(const Outcome& outcome);
  void CopyMemory(const Outcome& outcome);
  NodeId Resolve(Ref ref) const { return ref < 0 ? At(before_, ~ref) : first_ + ref; }
  template <typename Each>
  void ForEachOperand(Each each) const;

  const hlo::Module& module_;
  Graph& graph_;
  NodeStates states_;
  const Visited* visited_ = nullptr;
  bool may_repeat_ = false;   // what is asked for
  bool is_watching_ = false;  // an outcome is being written down
  Key key_;
  size_t hash_ = 0;
  absl::flat_hash_map<size_t, int32_t> newest_;  // by hash
  std::vector<Entry> entries_;

  NodeId first_ = 0;            // of the visit
  std::vector<NodeId> before_;  // of the outcome that is copied
  Scope::Journal journal_;
  std::vector<NodeId> marked_;
  std::vector<NodeStates::Reached> reached_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_H_
