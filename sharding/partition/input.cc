#include "tessera/sharding/partition/input.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/error_at.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// Of the instruction itself, not of a computation that it runs.
bool IsEffect(const hlo::Module& module, hlo::InstructionId id, hlo::SideEffects& effects) {
  switch (module.instruction(id).opcode) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return false;
    default:
      return effects.Of(id);
  }
}

// Opcodes that stay although their result has no elements.
constexpr Opcode kStayEmpty[] = {
    Opcode::kCall,       Opcode::kConditional,     Opcode::kConstant,  Opcode::kCopy,
    Opcode::kCustomCall, Opcode::kGetTupleElement, Opcode::kParameter, Opcode::kWhile,
};

// Before its Shardy pass XLA replaces each array without elements by a constant
// (zero_sized_hlo_elimination). The partitioner sees others only as parameters, and as instructions
// that the pass inserts: copies, tuple elements, boundaries of manual code.
bool IsTakenForConstant(const hlo::Module& module, hlo::InstructionId id) {
  const Shape& shape = module.shape(id);
  if (!shape.is_array() || shape.has_dynamic_dim() || shape.NumElements() != 0) return false;
  const Opcode opcode = module.instruction(id).opcode;
  return std::find(std::begin(kStayEmpty), std::end(kStayEmpty), opcode) == std::end(kStayEmpty);
}

// Of most that reducers consist of one need not ask.
bool MayHaveEffect(Opcode opcode) {
  return opcode != Opcode::kParameter && opcode != Opcode::kConstant &&
         !rules::IsElementWiseOpcode(opcode);
}

}  // namespace

Input::Input(const ModuleView& view, const reference::Behaviors& behaviors, LeafLists& lists,
             TupleLeaves& tuple_leaves)
    : view_(&view),
      module_(&view.module()),
      behaviors_(behaviors),
      lists_(&lists),
      tuple_leaves_(&tuple_leaves),
      leaves_(&lists, module_->num_instructions()),
      marks_(module_->num_instructions()),
      classes_(view),
      class_of_(module_->num_instructions()) {
  replicated_.leaves = lists.Add({Tiling::Replicated()});
  single_.leaves = lists.Add({Tiling::Single(0)});
}

// Reducers and comparators are not partitioned; of their instructions only those with a side effect
// or a sharding are read.
absl::StatusOr<Input> Input::Read(const ModuleView& view, const reference::Behaviors& behaviors,
                                  LeafLists& lists, TupleLeaves& tuple_leaves) {
  const hlo::Module& module = view.module();
  Input input(view, behaviors, lists, tuple_leaves);
  hlo::SideEffects effects(module);
  Texts texts;
  std::vector<hlo::ComputationId> run = {module.entry_id()};
  std::vector<bool> is_run(module.num_computations());
  is_run[module.entry_id()] = true;
  for (size_t i = 0; i < run.size(); ++i) {
    input.callers_.clear();
    TESSERA_RETURN_IF_ERROR(
        input.ReadAll(module.computation(run[i]).instructions, effects, &texts));
    for (hlo::InstructionId id : input.callers_) {
      for (hlo::ComputationId called : module.called(id)) {
        if (!is_run[called]) run.push_back(called);
        is_run[called] = true;
      }
    }
  }
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (is_run[c] || module.computation(c).removed) continue;
    for (hlo::InstructionId id : module.computation(c).instructions) {
      if (!MayHaveEffect(module.instruction(id).opcode)) continue;
      const bool is_said = module.HasAttribute(id, hlo::AttributeName::kSharding);
      if (!is_said && !IsEffect(module, id, effects)) continue;
      TESSERA_RETURN_IF_ERROR(input.ReadInstruction(id, effects, &texts));
    }
  }
  input.last_ = nullptr;
  input.FindRewritten();
  return input;
}

// While instructions equal those of the previous layer, no look-up is needed.
absl::Status Input::ReadAll(absl::Span<const hlo::InstructionId> list, hlo::SideEffects& effects,
                            Texts* texts) {
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t end = i + classes_.Follow(list.subspan(i), class_of_); i < end; ++i) {
      TESSERA_RETURN_IF_ERROR(ReadAsClass(list[i], effects, texts));
    }
    if (i < list.size()) TESSERA_RETURN_IF_ERROR(ReadInstruction(list[i], effects, texts));
  }
  return absl::OkStatus();
}

absl::Status Input::ReadInstruction(hlo::InstructionId id, hlo::SideEffects& effects,
                                    Texts* texts) {
  const auto [class_id, is_new] = classes_.Of(id);
  class_of_[id] = class_id;
  if (is_new) read_.push_back({false, false, classes_[class_id].cuts_or_joins});
  return ReadAsClass(id, effects, texts);
}

// Instructions of one class have the same sharding text, which has been checked.
inline absl::Status Input::ReadAsClass(hlo::InstructionId id, hlo::SideEffects& effects,
                                       Texts* texts) {
  const OfClass& known = read_[class_of_[id]];
  if (known.cuts_or_joins) cut_or_joined_.push_back(id);
  const bool may_differ = known.calls && IsEffect(*module_, id, effects);
  if (!known.is_known || may_differ) return ReadAfresh(id, effects, texts);
  leaves_.Set(id, known.leaves);
  marks_[id] = known.marks;
  return absl::OkStatus();
}

absl::Status Input::ReadAfresh(hlo::InstructionId id, hlo::SideEffects& effects, Texts* texts) {
  TESSERA_RETURN_IF_ERROR(ReadSharding(id, texts));
  if (is_checked_.size() <= leaves(id)) is_checked_.resize(lists_->size());
  if (!is_checked_[leaves(id)]) TESSERA_RETURN_IF_ERROR(CheckDevices(id));
  is_checked_[leaves(id)] = true;
  if (IsEffect(*module_, id, effects)) {
    marks_[id] |= kEffect;
    TESSERA_RETURN_IF_ERROR(CheckEffect(id));
  } else if (IsTakenForConstant(*module_, id)) {
    marks_[id] |= kEmpty;
  }
  // The sharding of another instruction and the effects of callees are not part of the class.
  const Opcode opcode = module_->instruction(id).opcode;
  const bool may_ask = opcode == Opcode::kGetTupleElement || opcode == Opcode::kReverse;
  const bool calls = !module_->called(id).empty();
  if (hlo::IsControlFlow(opcode)) {
    callers_.push_back(id);
    return absl::OkStatus();
  }
  if (!(calls && HasSideEffect(id)) &&
      !(may_ask && !module_->HasAttribute(id, hlo::AttributeName::kSharding))) {
    OfClass& known = read_[class_of_[id]];
    known.is_known = true;
    known.calls = calls;
    known.marks = marks_[id];
    known.leaves = leaves(id);
  }
  return absl::OkStatus();
}

void Input::FindRewritten() {
  const auto is_empty = [this](hlo::InstructionId id) { return Has(id, kEmpty); };
  cut_or_joined_.erase(std::remove_if(cut_or_joined_.begin(), cut_or_joined_.end(), is_empty),
                       cut_or_joined_.end());
  rewrites_ = FindRewrites(*view_, leaves_, cut_or_joined_);
  for (hlo::InstructionId id : rewrites_.dropped) marks_[id] |= kDropped;
  for (const auto& rewrite : rewrites_.rewritten) marks_[rewrite.first] |= kRewritten;
}

absl::Status Input::CheckDevices(hlo::InstructionId id) const {
  const int64_t partitions = module_->header().num_partitions;
  for (const Tiling& leaf : leaves_[id]) {
    if (!leaf.IsTiled() || leaf.num_devices() == partitions) continue;
    return hlo::ErrorAt(*module_, id,
                        absl::StrCat("the sharding is for ", leaf.num_devices(),
                                     " devices, the module has num_partitions=", partitions));
  }
  return absl::OkStatus();
}

absl::Status Input::CheckEffect(hlo::InstructionId id) {
  const Opcode opcode = module_->instruction(id).opcode;
  if (opcode == Opcode::kRng) return absl::OkStatus();
  const size_t at = module_->instruction(id).source.begin;
  if (!module_->HasAttribute(id, hlo::AttributeName::kSharding)) {
    return text::ErrorAt(
        at, absl::StrCat(hlo::OpcodeName(opcode),
                         " has a side effect, and XLA's partitioner refuses it without a sharding: "
                         "give it one that is not replicated, such as {maximal device=0}, for each "
                         "element of a tuple"));
  }
  const bool replicated = std::any_of(leaves_[id].begin(), leaves_[id].end(),
                                      [](const Tiling& leaf) { return leaf.IsReplicated(); });
  if (replicated && opcode != Opcode::kRngGetAndUpdateState) {
    return text::ErrorAt(at, "an operation with a side effect cannot be replicated");
  }
  return absl::OkStatus();
}

absl::StatusOr<NodeId> Input::Run(Visit& v, Handler handler) const {
  if (Has(v.id, kEmpty)) return PartitionEmpty(v);
  return IsRewritten(v.id) ? RunRewritten(v, rewrites_.rewritten.at(v.id)) : handler(v);
}

}  // namespace tessera::sharding::partition
