// Which node of the plan each operand of each instruction became.
//
//   Matching m(module, computation, plan, counterpart);
//   for (const Slot& slot : m.slots()) {
//     slot.holder;     // the instruction whose text names the value, and which operand of it
//     slot.inserted;   // copies between user and value, user's side first
//     slot.value;      // the node that the value became
//   }
//   m.NodesOf(id);     // what an instruction became: none, one, or copies of a split constant
//
// A user reads leaves: operand k of `while` may be a tuple, and the text names leaf 2 of it in
// operand 2 of that tuple. Slots lead from each leaf that a user reads to the node that its
// counterpart reads.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_MATCHING_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_MATCHING_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/export_plan.h"

namespace tessera::pipeline::writers {

// An operand as the text has it. `instruction` is kNoId for the result of the computation.
struct Holder {
  hlo::InstructionId instruction = hlo::kNoId;
  size_t operand = 0;
  bool exists = true;  // false: the leaf lies within a tuple that no line takes apart

  friend bool operator==(const Holder& a, const Holder& b) {
    return a.instruction == b.instruction && a.operand == b.operand;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Holder& x) {
    return H::combine(std::move(h), x.instruction, x.operand);
  }
};

struct Slot {
  hlo::InstructionId reader = hlo::kNoId;  // the instruction that `user` stands for
  sharding::graph::NodeId user = sharding::graph::kNoNode;  // kNoNode: the result
  Holder holder;
  hlo::InstructionId source = hlo::kNoId;  // the instruction that makes the value
  std::vector<sharding::graph::NodeId> inserted;
  sharding::graph::NodeId value = sharding::graph::kNoNode;
};

class Matching {
 public:
  // `counterpart`: the computation of the plan that stands for `computation`.
  Matching(const hlo::Module& module, hlo::ComputationId computation,
           const sharding::graph::ExportPlan& plan, int counterpart);

  const std::vector<Slot>& slots() const { return slots_; }
  // Nodes that stand for an instruction. One that merged with an equal one is among them.
  const std::vector<sharding::graph::NodeId>& NodesOf(hlo::InstructionId id) const;
  // Something in the text reads the instruction's value.
  bool HasUser(hlo::InstructionId id) const;
  // The conversion of value `number` of a shard_map's border, or kNoNode.
  sharding::graph::NodeId ConversionOf(hlo::InstructionId id, int64_t number) const;

 private:
  using NodeId = sharding::graph::NodeId;
  using PlanNode = sharding::graph::PlanNode;
  // A leaf: an instruction and its path within the tuple.
  struct Leaf {
    hlo::InstructionId id = hlo::kNoId;
    std::vector<int64_t> path;
  };

  const PlanNode& Node(NodeId id) const { return target_.nodes[static_cast<size_t>(id)]; }
  const sharding::graph::PlanComputation& Called(const PlanNode& node, size_t i) const {
    return plan_.computations[static_cast<size_t>(node.called[i])];
  }
  void IndexNodes();
  // `node` stands for the instruction; their operands are to be matched.
  void AddPair(hlo::InstructionId id, NodeId node);
  void MatchUser(hlo::InstructionId id, NodeId user);
  // Copies of the text without a name for their origin trade places with inserted ones, see the
  // .cc.
  void TradeCopies();
  // Copies and changes of unreduced axes: what may stand between a user and its value.
  bool MayLieBetween(NodeId node) const;
  NodeId Behind(NodeId node) const;
  bool StandsFor(NodeId node, hlo::InstructionId id) const;
  hlo::InstructionId Remaining(hlo::InstructionId id) const;
  void DropUnusedCopies();
  bool HasReader(const Slot& slot) const;
  bool LaysOut(hlo::InstructionId id, NodeId node) const;
  bool HaveMerged(hlo::InstructionId id, NodeId node) const;
  void MatchConversions(hlo::InstructionId id, NodeId conversion);
  void MatchResult();
  void AddOperandLeaves(hlo::InstructionId user, size_t operand,
                        std::vector<std::pair<Leaf, Holder>>* leaves) const;
  // The leaf behind tuples, elements and what is consumed; and who names it.
  std::pair<Leaf, Holder> Trace(Leaf leaf, Holder holder) const;
  void AddSlot(hlo::InstructionId id, NodeId user, const std::pair<Leaf, Holder>& leaf,
               NodeId operand);
  // What the leaves of the operands of `user` became, in order; kNoNode for what is gone.
  std::vector<NodeId> OperandNodes(const PlanNode& user, size_t num_leaves) const;
  std::vector<NodeId> Elements(NodeId packed) const;
  static std::vector<NodeId> Pick(const std::vector<NodeId>& elements,
                                  const sharding::graph::LeafMap& map);

  const hlo::Module& module_;
  const hlo::Computation& source_;
  const sharding::graph::ExportPlan& plan_;
  const sharding::graph::PlanComputation& target_;
  std::vector<Slot> slots_;
  std::vector<std::pair<hlo::InstructionId, NodeId>> todo_;
  absl::flat_hash_map<hlo::InstructionId, std::vector<NodeId>> nodes_;
  absl::flat_hash_map<std::pair<hlo::InstructionId, int64_t>, NodeId> conversions_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_MATCHING_H_
