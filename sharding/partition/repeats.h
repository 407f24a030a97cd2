// Visits of instructions that are like earlier ones, done again from memory.
//
//   Repeats repeats(graph, kinds.size());
//   if (const auto node = repeats.Again(visited)) return *node;
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

#ifndef TESSERA_SHARDING_PARTITION_REPEATS_H_
#define TESSERA_SHARDING_PARTITION_REPEATS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/kinds.h"
#include "tessera/sharding/partition/outcome.h"
#include "tessera/sharding/partition/reshard/node_states.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"
#include "tessera/sharding/partition/tiling/numbering.h"
#include "tessera/sharding/partition/values.h"

namespace tessera::sharding::partition {

// What is visited, and what its operands are.
struct Visited {
  hlo::InstructionId id = hlo::kNoId;
  LeafLists::Id leaves = LeafLists::kEmpty;
  Kinds::Id kind = 0;
  bool unreduced = false;
  Scope* scope = nullptr;  // all devices, in the body
  absl::Span<const hlo::InstructionId> operand_ids;
  absl::InlinedVector<Held, 4> operands;
};

class Repeats {
 public:
  Repeats(Graph& graph, size_t kinds)
      : graph_(graph), states_(graph), writer_(graph, states_), of_kind_(kinds), direct_(kinds) {}

  // Where the last visit of the kind made one node of its operands (Outcome::is_direct), and all is
  // as it was for that one: the same again. Most often it is, and this is the shortest way.
  std::optional<NodeId> Directly(Kinds::Id kind, LeafLists::Id leaves,
                                 absl::Span<const hlo::InstructionId> operand_ids, Values& values);
  // The node of the result of a visit that may repeat, if it did; `visited` must live until Keep.
  std::optional<NodeId> Again(const Visited& visited);
  // Writes down what the visit does from now on, until Keep.
  void Watch();
  void Keep(NodeId result);
  NodeStates& states() { return states_; }

 private:
  // More operands are no layer's.
  static constexpr size_t kMaxOperands = 8;

  bool OperandsAreApart() const;
  Numbering::Words Key();
  bool IsKey(Numbering::Words key);
  uint64_t StateWord(size_t operand);
  uint32_t NumberOfKey();
  NodeId Copy(uint32_t number);
  void CopyMarks(const Outcome& outcome);
  void CopyMemory(const Outcome& outcome);
  NodeId Resolve(Ref ref) const { return ref < 0 ? At(before_, ~ref) : first_ + ref; }

  Graph& graph_;
  NodeStates states_;
  OutcomeWriter writer_;
  const Visited* visited_ = nullptr;
  bool is_new_ = false;  // what was asked for
  Numbering keys_;
  // Numbers of keys, plus one; 0: none.
  std::vector<uint32_t> followers_ = {0};  // by key, one for the beginning
  std::vector<uint32_t> of_kind_;          // the last one
  std::vector<uint32_t> direct_;           // by kind: the last one with a direct outcome
  uint32_t last_ = 0;
  std::array<uint64_t, 1 + 2 * kMaxOperands> key_;
  std::array<NodeId, kMaxOperands> nodes_;         // of the operands
  std::vector<std::unique_ptr<Outcome>> outcomes_;  // by key; null: cannot be copied

  NodeId first_ = 0;            // of the outcome that is copied
  std::vector<NodeId> before_;  // likewise
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPEATS_H_
