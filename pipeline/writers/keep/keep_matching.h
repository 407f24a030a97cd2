// Which node of the form of HLO each operand of each instruction became.
//
//   NodeLists lists(module.num_instructions());
//   Matching m(module, computation, form, counterpart, &lists);
//   for (const Slot& slot : m.slots()) {
//     slot.holder;         // the instruction whose text names the value, and which operand of it
//     m.Inserted(slot);    // copies between user and value, user's side first
//     slot.value;          // the node that the value became
//   }
//   m.NodesOf(id);     // what an instruction became: none, one, or copies of a split constant
//
// A user reads leaves: operand k of `while` may be a tuple, and the text names leaf 2 of it in
// operand 2 of that tuple. Slots lead from each leaf that a user reads to the node that its
// counterpart reads. Listed are those for which the text must change: something is inserted, or
// the value became several nodes.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_KEEP_MATCHING_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_KEEP_MATCHING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/writers/keep/form_view.h"
#include "tessera/pipeline/writers/keep/node_lists.h"
#include "tessera/pipeline/writers/text_leaves.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

struct Slot {
  hlo::InstructionId reader = hlo::kNoId;  // the instruction that `user` stands for
  sharding::passes::NodeId user = sharding::passes::kNoNode;  // kNoNode: the result
  NamedUse holder;
  hlo::InstructionId source = hlo::kNoId;  // the instruction that makes the value
  sharding::passes::NodeId value = sharding::passes::kNoNode;
  uint32_t packed = 0;          // see Matching::Within; for holders that do not exist
  uint32_t first_inserted = 0;  // see Matching::Inserted
  uint32_t num_inserted = 0;
};

class Matching {
 public:
  // `counterpart`: the computation of the form that stands for `computation`. `lists` must be
  // empty; it is filled, and emptied at the end.
  Matching(const hlo::Module& module, hlo::ComputationId computation,
           const sharding::passes::HloForm& form, int counterpart, NodeLists* lists);
  ~Matching() { lists_.Clear(); }
  Matching(const Matching&) = delete;
  Matching& operator=(const Matching&) = delete;

  // In order of the holders.
  const std::vector<Slot>& slots() const { return slots_; }
  absl::Span<const sharding::passes::NodeId> Inserted(const Slot& slot) const {
    return absl::MakeConstSpan(inserted_).subspan(slot.first_inserted, slot.num_inserted);
  }
  // The one whose holder is operand `k` of an instruction, if the text changes there.
  const Slot* SlotOf(hlo::InstructionId holder, uint32_t k) const;
  // The path of the leaf within the operand of a holder that does not exist.
  const layout::LeafPath& Within(const Slot& slot) const { return packed_[slot.packed]; }
  // Nodes that stand for an instruction. One that merged with an equal one is among them.
  const NodeLists::List& NodesOf(hlo::InstructionId id) const { return lists_.Of(id); }
  // A loop that changes nothing that is read: its results are what it began with.
  bool IsGoneLoop(hlo::InstructionId id) const {
    return module_.instruction(id).opcode == hlo::Opcode::kWhile && NodesOf(id).empty();
  }
  // Something in the text reads the value of the constraint `id`, and is no constraint that nothing
  // reads.
  bool HasUser(hlo::InstructionId id) const;
  // The conversion of value `number` of a shard_map's border, or kNoNode.
  sharding::passes::NodeId ConversionOf(hlo::InstructionId id, int64_t number) const;

 private:
  using NodeId = sharding::passes::NodeId;
  using HloNode = sharding::passes::HloNode;

  HloNode Node(NodeId id) const { return view_.Node(id); }
  void IndexNodes();
  // `node` stands for the instruction; their operands are to be matched.
  void AddPair(hlo::InstructionId id, NodeId node);
  void MatchAll();
  void MatchUser(hlo::InstructionId id, NodeId user);
  void MatchOperands(hlo::InstructionId id, NodeId user);
  bool HasSameOperands(hlo::InstructionId id, const HloNode& user) const;
  bool IsNamed(hlo::InstructionId operand, NodeId node) const;
  // Copies of the text without a name for their origin trade places with inserted ones.
  void RematCopies();
  bool SharesNameWithReader(const HloNode& border) const;
  bool StandsFor(NodeId node, hlo::InstructionId id) const;
  bool HasVanished(hlo::InstructionId id) const;
  hlo::InstructionId Remaining(hlo::InstructionId id) const;
  // How many copies of the text Remaining() passes.
  size_t NumVanished(hlo::InstructionId id) const;
  void DropUnusedCopies();
  bool HasReader(const Slot& slot) const;
  bool LaysOut(hlo::InstructionId id, NodeId node) const;
  bool HaveMerged(hlo::InstructionId id, NodeId node) const;
  void MatchConversions(hlo::InstructionId id, NodeId conversion);
  void MatchResult();
  void AddSlot(hlo::InstructionId id, NodeId user, const TextLeaf& leaf, NodeId operand);
  bool StepToSource(TextLeaf* leaf) const;
  // Steps after the leaf lead to `id`.
  bool LeadsTo(hlo::InstructionId id, TextLeaf leaf) const;
  NodeId LeaveOut(const Slot& slot, const TextLeaf& leaf, NodeId value);
  bool TakeCopy(Slot* slot);
  void AddSlotAfter(hlo::InstructionId copy, NodeId value);
  // Nothing about the slot can come to need a change of the text.
  bool IsSettled(const Slot& slot) const;
  bool MayGetMore(hlo::InstructionId id) const;
  void NoteUses();
  void NoteUse(const Slot& slot);
  void KeepChanges();

  const hlo::Module& module_;
  const hlo::Computation& source_;
  const FormView view_;
  NodeLists& lists_;
  std::vector<Slot> slots_;
  std::vector<NodeId> inserted_;
  std::vector<std::pair<hlo::InstructionId, NodeId>> todo_;
  absl::flat_hash_map<std::pair<hlo::InstructionId, int64_t>, NodeId> conversions_;
  absl::flat_hash_set<hlo::InstructionId> used_constraints_;
  absl::flat_hash_set<NodeId> nameless_;  // copies at borders that no op_name tells from others
  std::vector<bool> used_nodes_;
  std::vector<layout::LeafPath> packed_;
  // For the current instruction.
  std::vector<TextLeaf> leaves_;
  std::vector<NodeId> operands_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_KEEP_MATCHING_H_
