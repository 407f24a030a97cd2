#include "tessera/pipeline/writers/keep/keep_computation.h"

#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline::writers {

using hlo::InstructionId;
using sharding::passes::HloShardingId;
using sharding::passes::NodeId;

KeepComputation::KeepComputation(const hlo::Module& module, hlo::ComputationId computation,
                                 const sharding::passes::HloForm& form, int counterpart,
                                 FreeNames& names, NodeLists& lists, hlo::Editor& edit)
    : module_(module),
      source_(module.computation(computation)),
      form_(form),
      counterpart_(counterpart),
      target_(form.computations[static_cast<size_t>(counterpart)]),
      names_(names),
      edit_(edit),
      matching_(module, computation, form, counterpart, &lists),
      shardings_(module, computation, form, counterpart, matching_) {}

void KeepComputation::Run() {
  for (InstructionId id : source_.instructions) PlanClones(id);
  PlanOperands();
  WriteResult();
  for (InstructionId id : source_.instructions) WriteInstruction(id);
}

InstructionId KeepComputation::SkipConsumed(InstructionId id) const {
  while (CallKindOf(module_, id) == CallKind::kConsumed && !module_.operands(id).empty()) {
    id = module_.operands(id)[0];
  }
  return id;
}

std::string KeepComputation::Spelled(InstructionId id) {
  const hlo::Instruction& i = module_.instruction(id);
  if (!i.is_implied) return edit_.Spell(id);
  if (i.opcode == hlo::Opcode::kGetTupleElement) {
    return absl::StrCat(Spelled(SkipConsumed(module_.operands(id)[0])), "#",
                        hlo::GetTupleIndex(module_, id));
  }
  needs_lines_ = true;
  return edit_.Spell(id);
}

KeepComputation::Copy KeepComputation::CopyOf(InstructionId id, NodeId node) const {
  const auto it = copy_of_.find({id, node});
  return it == copy_of_.end() ? 0 : it->second;
}

void KeepComputation::PlanClones(InstructionId id) {
  const NodeLists::List& nodes = matching_.NodesOf(id);
  if (nodes.size() < 2 || module_.shape(id).is_tuple()) return;
  absl::flat_hash_map<HloShardingId, Copy> known;
  std::vector<Clone> clones;
  for (NodeId node : nodes) {
    const auto [it, is_new] =
        known.emplace(Node(node).sharding(), static_cast<Copy>(clones.size()));
    if (is_new) clones.push_back({"", node});
    copy_of_[{id, node}] = it->second;
  }
  for (size_t i = 1; i < clones.size(); ++i) {
    const std::string name = absl::StrCat(module_.instruction(id).name, ".clone");
    clones[i].name = edit_.Spell(names_.Unique(name));
  }
  clones_[id] = std::move(clones);
}

void KeepComputation::PlanOperands() {
  for (const Slot& slot : matching_.slots()) {
    if (slot.holder.exists) {
      PlanSlot(slot);
    } else if (slot.holder.instruction != hlo::kNoId) {
      PlanUntaken(slot);
    }
  }
  PackUntaken();
}

void KeepComputation::PlanSlot(const Slot& slot) {
  const bool is_result = slot.holder.instruction == hlo::kNoId;
  const InstructionId written =
      is_result ? source_.root : module_.operands(slot.holder.instruction)[slot.holder.operand];
  const InstructionId named = SkipConsumed(written);
  std::string name = Spelled(named);
  if (const Copy copy = CopyOf(slot.source, slot.value); copy > 0) {
    name = clones_.at(slot.source)[static_cast<size_t>(copy)].name;
  }
  name = AddInserted(slot, module_.instruction(named).name, WrittenShape(module_, named),
                     std::move(name));
  if (is_result) return;
  const Copy line = slot.reader == slot.holder.instruction ? CopyOf(slot.reader, slot.user) : 0;
  operands_.emplace(std::make_tuple(slot.holder.instruction, line, slot.holder.operand),
                    std::move(name));
}

LineChange KeepComputation::ChangeOf(InstructionId id, Copy copy) {
  LineChange change;
  const auto operands = module_.operands(id);
  auto planned = operands_.lower_bound({id, copy, 0});
  for (size_t k = 0; k < operands.size(); ++k) {
    if (planned != operands_.end() && planned->first == std::make_tuple(id, copy, k)) {
      change.operands.emplace_back(k, planned->second);
      ++planned;
    } else if (const InstructionId real = SkipConsumed(operands[k]); real != operands[k]) {
      change.operands.emplace_back(k, Spelled(real));
    }
  }
  return change;
}

void KeepComputation::WriteInstruction(InstructionId id) {
  const CallKind kind = CallKindOf(module_, id);
  if (kind == CallKind::kConsumed) return edit_.RemoveInstruction(id);
  if (IsBoundary(kind)) return WriteBoundary(id);
  LineChange change = ChangeOf(id, 0);
  change.sharding = shardings_.Of(id);
  change.is_root = id == SkipConsumed(source_.root) && result_lines_.empty();
  if (module_.instruction(id).is_implied) {
    const bool is_element = module_.instruction(id).opcode == hlo::Opcode::kGetTupleElement;
    const bool shows_sharding = !change.sharding.empty() && !is_element;
    needs_lines_ |= shows_sharding || !change.operands.empty() || clones_.contains(id);
    return;
  }
  if (kind == CallKind::kConstraint) {
    edit_.Replace(module_.instruction(id).source, RenderCopy(module_, id, change));
  } else {
    EditLine(module_, id, change, edit_);
  }
  const auto clones = clones_.find(id);
  if (clones == clones_.end()) return;
  for (size_t i = 1; i < clones->second.size(); ++i) {
    const Clone& clone = clones->second[i];
    LineChange again = ChangeOf(id, static_cast<Copy>(i));
    again.name = clone.name;
    again.sharding = shardings_.OfNode(id, clone.node);
    edit_.InsertAfter(id, absl::StrCat("  ", RenderLine(module_, id, again)));
  }
}

}  // namespace tessera::pipeline::writers
