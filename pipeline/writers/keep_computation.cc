#include "tessera/pipeline/writers/keep_computation.h"

#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/keep_conversions.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::graph::kNoNode;
using sharding::graph::kNoPlanSharding;
using sharding::graph::NodeId;
using sharding::graph::NodeRole;
using sharding::graph::PlanNode;
using sharding::graph::PlanSharding;

bool IsElementOfTuple(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kGetTupleElement) return false;
  while (module.instruction(id).opcode == Opcode::kGetTupleElement) id = module.operands(id)[0];
  return module.instruction(id).opcode == Opcode::kTuple;
}

std::string Tail(const std::string& sharding) {
  return sharding.empty() ? "" : absl::StrCat(", sharding=", sharding);
}

}  // namespace

KeepComputation::KeepComputation(const hlo::Module& module, hlo::ComputationId computation,
                                 const sharding::graph::ExportPlan& plan, int counterpart,
                                 FreeNames& names, NodeLists& lists, hlo::Editor& edit)
    : module_(module),
      source_(module.computation(computation)),
      plan_(plan),
      counterpart_(counterpart),
      target_(plan.computations[static_cast<size_t>(counterpart)]),
      names_(names),
      edit_(edit),
      matching_(module, computation, plan, counterpart, &lists),
      shardings_(module, computation, plan, counterpart, matching_) {}

void KeepComputation::Run() {
  for (InstructionId id : source_.instructions) PlanClones(id);
  PlanOperands();
  WriteResult();
  for (InstructionId id : source_.instructions) WriteInstruction(id);
}

InstructionId KeepComputation::Real(InstructionId id) const {
  while (CallKindOf(module_, id) == CallKind::kConsumed && !module_.operands(id).empty()) {
    id = module_.operands(id)[0];
  }
  return id;
}

// --- what changes
// -----------------------------------------------------------------------------------

KeepComputation::Copy KeepComputation::CopyOf(InstructionId id, NodeId node) const {
  const auto it = copy_of_.find({id, node});
  return it == copy_of_.end() ? 0 : it->second;
}

void KeepComputation::PlanClones(InstructionId id) {
  const NodeLists::List& nodes = matching_.NodesOf(id);
  if (nodes.size() < 2 || module_.shape(id).is_tuple()) return;
  absl::flat_hash_map<PlanSharding, Copy> known;
  std::vector<Clone> clones;
  for (NodeId node : nodes) {
    const auto [it, is_new] = known.emplace(Node(node).sharding, static_cast<Copy>(clones.size()));
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
  const InstructionId named = Real(written);
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

std::string KeepComputation::AddInserted(const Slot& slot, absl::string_view base,
                                         absl::string_view shape, std::string source) {
  const absl::Span<const NodeId> inserted = matching_.Inserted(slot);
  for (size_t i = inserted.size(); i-- > 0;) {
    const NodeId node = inserted[i];
    std::string& name = inserted_[node];
    if (name.empty()) name = AddCopy(slot, node, base, shape, source);
    source = name;
  }
  return source;
}

std::string KeepComputation::AddCopy(const Slot& slot, NodeId node, absl::string_view base,
                                     absl::string_view shape, const std::string& source) {
  std::string name = edit_.Spell(names_.Unique(absl::StrCat(base, ".reshard")));
  std::vector<std::string> lines;
  if (Node(node).opcode == Opcode::kCopy) {
    const PlanSharding sharding = Node(node).sharding;
    lines.push_back(
        absl::StrCat(name, " = ", shape, " copy(", source, ")",
                     Tail(sharding == kNoPlanSharding ? "" : plan_.shardings.text(sharding))));
  } else {
    lines = ConversionLines(node, source, std::string(base), &name);
  }
  for (std::string& line : lines) {
    if (slot.holder.instruction == hlo::kNoId) {
      result_lines_.push_back(std::move(line));
    } else {
      edit_.InsertBefore(slot.holder.instruction, absl::StrCat("  ", line));
    }
  }
  return name;
}

std::vector<std::string> KeepComputation::ConversionLines(NodeId node, const std::string& source,
                                                          const std::string& base,
                                                          std::string* name) {
  // Behind `node`: a copy that changes nothing, the call, the conversion to the local shape.
  const PlanNode& out = Node(node);
  const PlanNode& call = Node(Node(out.operands[0]).operands[0]);
  const PlanNode& in = Node(call.operands[0]);
  std::string body;
  const auto spell = [&](absl::string_view text) { return edit_.Spell(text); };
  edit_.Insert(source_.source.begin,
               RenderComputation(plan_, call.called[0], names_, spell, &body));
  std::string last = source;
  std::vector<std::string> lines;
  const auto add = [&](const PlanNode& step, const char* suffix, absl::string_view operation,
                       const std::string& attributes) {
    const std::string made =
        suffix == nullptr ? *name : edit_.Spell(names_.Unique(absl::StrCat(base, suffix)));
    lines.push_back(absl::StrCat(made, " = ", layout::ShapeToString(*step.shape), " ", operation,
                                 "(", last, ")", attributes,
                                 Tail(plan_.shardings.text(step.sharding))));
    last = made;
  };
  add(in, ".local", "custom-call", ", custom_call_target=\"SPMDFullToShardShape\"");
  add(call, ".changed", "call", absl::StrCat(", to_apply=", body));
  add(out, nullptr, "custom-call", ", custom_call_target=\"SPMDShardToFullShape\"");
  return lines;
}

// --- lines
// ------------------------------------------------------------------------------------------

LineChange KeepComputation::ChangeOf(InstructionId id, Copy copy) const {
  LineChange change;
  const auto operands = module_.operands(id);
  auto planned = operands_.lower_bound({id, copy, 0});
  for (size_t k = 0; k < operands.size(); ++k) {
    if (planned != operands_.end() && planned->first == std::make_tuple(id, copy, k)) {
      change.operands.emplace_back(k, planned->second);
      ++planned;
    } else if (const InstructionId real = Real(operands[k]); real != operands[k]) {
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
  change.is_root = id == Real(source_.root) && result_lines_.empty();
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

void KeepComputation::WriteBoundary(InstructionId id) {
  const bool into = CallKindOf(module_, id) == CallKind::kIntoManual;
  const char* const target = into ? "SPMDFullToShardShape" : "SPMDShardToFullShape";
  const bool is_tuple = module_.shape(id).is_tuple();
  const std::vector<std::string> shapes = WrittenLeafShapes(module_, id);
  const std::string metadata = MetadataTail(module_, id);
  const bool is_root = id == Real(source_.root) && result_lines_.empty();
  const std::string root = is_root ? "ROOT " : "";
  std::vector<std::string> names;
  std::string last;
  for (size_t n = 0; n < shapes.size() && n < module_.operands(id).size(); ++n) {
    const std::string name =
        is_tuple ? edit_.Spell(names_.Unique(absl::StrCat(module_.instruction(id).name, ".", n)))
                 : Spelled(id);
    const NodeId node = matching_.ConversionOf(id, static_cast<int64_t>(n));
    const bool has = node != kNoNode && Node(node).sharding != kNoPlanSharding;
    const auto planned = operands_.find({id, 0, n});
    const std::string operand =
        planned != operands_.end() ? planned->second : Spelled(Real(module_.operands(id)[n]));
    last = absl::StrCat(name, " = ", shapes[n], " custom-call(", operand,
                        "), custom_call_target=\"", target, "\"",
                        Tail(has ? plan_.shardings.text(Node(node).sharding) : ""), metadata);
    names.push_back(name);
    if (is_tuple) edit_.InsertBefore(id, absl::StrCat("  ", last));
  }
  if (is_tuple) {
    last = absl::StrCat(Spelled(id), " = ", WrittenShape(module_, id), " tuple(",
                        absl::StrJoin(names, ", "), ")", metadata);
  }
  edit_.Replace(module_.instruction(id).source, absl::StrCat(root, last));
}

// --- the result
// -------------------------------------------------------------------------------------

void KeepComputation::WriteResult() {
  const InstructionId root = Real(source_.root);
  std::string name = Spelled(root);
  if (!result_lines_.empty()) {
    const std::string& last = result_lines_.back();
    name = last.substr(0, last.find(' '));
  }
  // An element that the text takes from its own tuple shows the result's sharding itself.
  const bool packed = IsElementOfTuple(module_, root) && result_lines_.empty();
  const bool is_entry = !packed && counterpart_ == plan_.entry && !target_.nodes.empty();
  if (is_entry && !module_.shape(root).is_tuple()) Wrap(root, name);
  for (size_t i = 0; i < result_lines_.size(); ++i) {
    const bool is_last = i + 1 == result_lines_.size();
    edit_.InsertAfter(root, absl::StrCat(is_last ? "  ROOT " : "  ", result_lines_[i]));
  }
}

// A single result with a sharding of its own shows on an element of a tuple.
void KeepComputation::Wrap(InstructionId root, const std::string& name) {
  const PlanNode& element = Node(target_.root);
  if (element.role != NodeRole::kPacking || element.opcode != Opcode::kGetTupleElement) return;
  const PlanNode& tuple = Node(element.operands[0]);
  if (tuple.role != NodeRole::kPacking || tuple.opcode != Opcode::kTuple) return;
  const auto text = [&](PlanSharding s) {
    return s == kNoPlanSharding ? "" : plan_.shardings.text(s);
  };
  const absl::string_view shape = WrittenShape(module_, root);
  const absl::string_view base = module_.instruction(root).name;
  const std::string packed = edit_.Spell(names_.Unique(absl::StrCat(base, ".tuple")));
  const std::string result = edit_.Spell(names_.Unique(absl::StrCat(base, ".result")));
  result_lines_.push_back(
      absl::StrCat(packed, " = (", shape, ") tuple(", name, ")", Tail(text(tuple.sharding))));
  result_lines_.push_back(absl::StrCat(result, " = ", shape, " get-tuple-element(", packed,
                                       "), index=0", Tail(text(element.sharding))));
}

}  // namespace tessera::pipeline::writers
