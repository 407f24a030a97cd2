// Visits of instructions that are like earlier ones, done again from memory.
//
//   Repeats repeats(graph, kinds.size());
//   node = repeats.Again({kind, leaves, operands, &scope}, values);
//   if (node != Repeats::kNone) return node;
//   repeats.Watch();                // from now on all is written down
//   node = ..;                      // the visit itself
//   repeats.Keep(node);
//
// A network has the same layer twenty to sixty times. What the partitioner does with an instruction
// follows from what it is (kinds.h), how it and its operands lie, and from what can be found out
// about the nodes of its operands (node_states.h). Where all of these are those of an earlier visit,
// its outcome is copied: the new nodes, what was remembered, which nodes were marked (outcome.h).
//
// Only for operations that look at nothing else, and not where two operands lead to the same node.
// Cost: a look-up, and what is copied. Tested by repeats_test.cc: with and without, the answers are
// the same.

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_REPEATS_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_REPEATS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/repeats/kinds.h"
#include "tessera/sharding/partition/repeats/outcome.h"
#include "tessera/sharding/partition/reshard/node_states.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"
#include "tessera/sharding/partition/tiling/numbering.h"
#include "tessera/sharding/partition/values.h"

namespace tessera::sharding::partition {

// An instruction, as far as its visit follows from it.
struct Asked {
  Kinds::Id kind = 0;
  LeafLists::Id leaves = LeafLists::kEmpty;
  absl::Span<const hlo::InstructionId> operands;
  Scope* scope = nullptr;  // all devices, in the body
};

class Repeats {
 public:
  Repeats(Graph& graph, size_t kinds)
      : graph_(graph), states_(graph), writer_(graph, states_), latest_(kinds) {}

  // The node of the result of a visit that may repeat, if it did; else kNone.
  NodeId Again(const Asked& asked, Values& values);
  static constexpr NodeId kNone = -1;
  // Writes down what the visit that was asked for last does from now on, until Keep.
  void Watch();
  void Keep(NodeId result);
  NodeStates& states() { return states_; }

 private:
  // More operands are no layer's.
  static constexpr size_t kMaxOperands = 8;

  // The last two keys of a kind, the later one first: numbers plus one; 0: none.
  struct Latest {
    uint32_t first = 0, second = 0;
  };
  bool ReadKey(const Asked& asked, Values& values);
  Numbering::Words Key() const { return {key_.data(), 1 + 2 * num_operands_}; }
  bool IsKey(Numbering::Words key, const Asked& asked, Values& values);
  bool IsApart(NodeId node) const;
  void FindKey(Latest& latest);
  NodeId Copy(const Outcome& outcome);
  NodeId CopyDirectly(const Outcome& outcome);
  void CopyMarks(const Outcome& outcome);
  void CopyMemory(const Outcome& outcome);
  NodeId Resolve(Ref ref) const { return ref < 0 ? At(before_, ~ref) : first_ + ref; }

  Graph& graph_;
  NodeStates states_;
  OutcomeWriter writer_;
  Numbering keys_;
  std::vector<Latest> latest_;     // by kind
  std::vector<Outcome> outcomes_;  // by key

  // --- Of what was asked for last -------------------------------------------------------------
  bool is_new_ = false;
  Scope* scope_ = nullptr;
  size_t num_operands_ = 0;
  std::array<uint64_t, 1 + 2 * kMaxOperands> key_ = {};
  std::array<NodeId, kMaxOperands> nodes_ = {};  // of the operands
  NodeId first_ = 0;                             // of the outcome that is copied
  std::vector<NodeId> before_;                   // likewise
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_REPEATS_H_
