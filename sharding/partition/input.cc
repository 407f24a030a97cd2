#include "tessera/sharding/partition/input.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

bool IsOpen(const HloSharding& leaf) {
  if (leaf.IsUnreduced()) return true;
  if (leaf.IsNamed()) return !leaf.named().unreduced.empty();
  return leaf.IsTiled() &&
         std::count(leaf.subgroups().begin(), leaf.subgroups().end(), SubgroupType::kUnreduced) > 0;
}

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

}  // namespace

absl::StatusOr<Input> Input::Read(const hlo::Module& module,
                                  const reference::Behaviors& behaviors) {
  Input input(module, behaviors);
  hlo::SideEffects effects(module);
  Texts texts;
  input.leaves_.resize(module.num_instructions());
  input.marks_.resize(module.num_instructions());
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    for (hlo::InstructionId id : module.computation(c).instructions) {
      TESSERA_RETURN_IF_ERROR(input.ReadSharding(id, &texts));
      TESSERA_RETURN_IF_ERROR(input.CheckDevices(id));
      if (!IsEffect(module, id, effects)) continue;
      input.marks_[id] |= kEffect;
      TESSERA_RETURN_IF_ERROR(input.CheckEffect(id));
    }
  }
  input.rewrites_ = FindRewrites(module, input.leaves_);
  return input;
}

Tiling Input::TilingOf(const HloSharding& leaf) const {
  return behaviors_.groups_in_mesh_order ? Tiling::InMesh(leaf) : Tiling::Of(leaf);
}

Input::Said Input::Understand(const HloSharding& sharding) const {
  Said said;
  said.is_tuple = sharding.IsTuple();
  if (!said.is_tuple) return {{TilingOf(sharding)}, false, IsOpen(sharding)};
  for (const HloSharding& leaf : sharding.elements()) {
    said.leaves.push_back(TilingOf(leaf));
    said.is_open |= IsOpen(leaf);
  }
  return said;
}

absl::Status Input::ReadSharding(hlo::InstructionId id, Texts* texts) {
  const Shape& shape = module_->shape(id);
  std::vector<Tiling>& leaves = leaves_[id];
  const auto text = module_->FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) {
    const hlo::Instruction& instruction = module_->instruction(id);
    // `x#1`: the sharding of an element that has no line is that of the tuple.
    if (instruction.opcode == Opcode::kGetTupleElement && instruction.is_implied) {
      const hlo::InstructionId tuple = module_->operands(id)[0];
      leaves = LeavesOf(module_->shape(tuple), hlo::GetTupleIndex(*module_, id), leaves_[tuple]);
      marks_[id] |= marks_[tuple] & kUnreduced;
      return absl::OkStatus();
    }
    const bool rng = instruction.opcode == Opcode::kRng;
    leaves = Uniform(shape, rng ? Tiling::Single(0) : Tiling::Replicated());
    // Where random numbers are made on one device, there they are reversed: since 0.11.0, as
    // collectives name their operand.
    if (instruction.opcode == Opcode::kReverse && behaviors_.collectives_name_their_operand) {
      const std::vector<Tiling>& operand = leaves_[module_->operands(id)[0]];
      if (operand.front().IsSingle()) leaves = operand;
    }
    return absl::OkStatus();
  }
  const auto [said, is_new] = texts->try_emplace(*text);
  if (is_new) {
    const absl::StatusOr<HloSharding> sharding = ParseHloSharding(*text);
    if (!sharding.ok()) {
      const auto range = module_->RangeOf(*text);
      return text::Rebase(sharding.status(), range.has_value() ? range->begin : 0);
    }
    said->second = Understand(*sharding);
  }
  if (said->second.is_open) marks_[id] |= kUnreduced;
  if (!said->second.is_tuple) {
    leaves = Uniform(shape, said->second.leaves[0]);
    return absl::OkStatus();
  }
  leaves = said->second.leaves;
  const size_t wanted = Uniform(shape, Tiling()).size();
  if (!shape.is_tuple()) leaves.resize(1);
  // A side effect's sharding may also name the token behind its result.
  if (leaves.size() > wanted) leaves.resize(wanted);
  if (leaves.size() < wanted) {
    return text::ErrorAt(
        module_->instruction(id).source.begin,
        absl::StrCat("the sharding has ", leaves.size(), " leaves, the shape ", wanted));
  }
  return absl::OkStatus();
}

absl::Status Input::CheckDevices(hlo::InstructionId id) const {
  const int64_t partitions = module_->header().num_partitions;
  for (const Tiling& leaf : leaves_[id]) {
    if (!leaf.IsTiled() || leaf.num_devices() == partitions) continue;
    return text::ErrorAt(module_->instruction(id).source.begin,
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
    return text::ErrorAt(at, "an operation with a side effect must have a sharding");
  }
  const bool replicated = std::any_of(leaves_[id].begin(), leaves_[id].end(),
                                      [](const Tiling& leaf) { return leaf.IsReplicated(); });
  if (replicated && opcode != Opcode::kRngGetAndUpdateState) {
    return text::ErrorAt(at, "an operation with a side effect cannot be replicated");
  }
  return absl::OkStatus();
}

absl::Span<const hlo::InstructionId> Input::operands(hlo::InstructionId id) const {
  const auto found = rewrites_.rewritten.find(id);
  if (found != rewrites_.rewritten.end()) return found->second.operands;
  return module_->operands(id);
}

hlo::InstructionId Input::cause(hlo::InstructionId id) const {
  const auto found = rewrites_.rewritten.find(id);
  return found == rewrites_.rewritten.end() ? id : found->second.cause;
}

absl::StatusOr<NodeId> Input::Run(Visit& v, Handler handler) const {
  const auto found = rewrites_.rewritten.find(v.id);
  return found == rewrites_.rewritten.end() ? handler(v) : RunRewritten(v, found->second);
}

}  // namespace tessera::sharding::partition
