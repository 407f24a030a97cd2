#include "tessera/pipeline/explain/fixes/fix_trial.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/explain/fixes/rival.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::pipeline {

using sharding::AxisRef;
using sharding::explain::SlotId;
using sharding::explain::Verdict;

FixTrial::FixTrial(const Explained& explained, SlotId slot, const Verdict& verdict)
    : e_(explained),
      slot_(slot),
      verdict_(verdict),
      target_(NameOf(slot)),
      before_(SpecsOf(*explained.sharded)) {}

FixTrial::Specs FixTrial::SpecsOf(const PropagatedModule& sharded) {
  Specs specs;
  for (Tensor& tensor : ListTensors(sharded)) {
    std::string name = tensor.name;
    specs.emplace(std::move(name), std::move(tensor));
  }
  for (Tensor& tensor : ListResults(sharded)) {
    std::string name = absl::StrCat("/", tensor.name);
    specs.emplace(std::move(name), std::move(tensor));
  }
  return specs;
}

std::string FixTrial::NameOf(SlotId slot) const {
  if (e_.log->IsOutput(slot)) {
    const size_t results = e_.log->numbered().outputs().size();
    return results == 1 ? "/result" : absl::StrCat("/result{", e_.log->OutputOf(slot), "}");
  }
  const sharding::explain::ValueName& name = e_.names->Of(slot);
  if (name.instruction == hlo::kNoId) return "";
  return absl::StrCat(e_.sharded->module.instruction(name.instruction).name,
                      name.num_leaves == 1 ? "" : absl::StrCat("{", name.leaf, "}"));
}

ShardOptions FixTrial::OptionsWith(const Edits& edits) const {
  ShardOptions options = e_.options;
  options.stage = Stage::kPass;  // the module has been cleaned
  options.edits = edits;
  return options;
}

std::optional<FixEffect> FixTrial::Try(const Edits& edits) const {
  const ShardOptions options = OptionsWith(edits);
  const auto run = Propagate(e_.sharded->module, options);
  if (!run.ok() || !Finalize(options, run->get()).ok()) return std::nullopt;
  const Specs after = SpecsOf(**run);
  const auto target = after.find(target_);
  if (target == after.end() || !HasAxis(target->second)) return std::nullopt;
  return EffectOf(after);
}

std::optional<FixObstacle> FixTrial::Obstacle(const Edits& edits) const {
  auto run = RunExplained(e_.sharded->module, OptionsWith(edits));
  if (!run.ok()) return std::nullopt;
  FixObstacle obstacle;
  obstacle.explained = *std::move(run);
  const Explained& e = obstacle.explained;
  if (e_.log->IsOutput(slot_)) {
    obstacle.slot = e.log->SlotOfOutput(e_.log->OutputOf(slot_));
  } else {
    const sharding::explain::ValueName& name = e_.names->Of(slot_);
    if (name.instruction == hlo::kNoId) return std::nullopt;
    const auto value = e.names->ValueOf(name.instruction, name.leaf);
    if (value == sharding::propagation::kNone) return std::nullopt;
    obstacle.slot = e.log->SlotOf(value);
  }
  auto verdicts = e.why_not->Ask(obstacle.slot, verdict_.dim, {verdict_.axis});
  if (verdicts.empty()) return std::nullopt;
  obstacle.verdict = std::move(verdicts.front());
  return obstacle;
}

bool FixTrial::HasAxis(const Tensor& tensor) const {
  if (tensor.sharding == nullptr || tensor.mesh == nullptr) return false;
  const std::optional<AxisRef> asked = AxisAsked(verdict_.axis, *tensor.mesh);
  return asked.has_value() &&
         SetDifference({*asked}, tensor.sharding->dim(verdict_.dim).axes, *tensor.mesh).empty();
}

bool FixTrial::IsArgument(const Tensor& tensor) const {
  if (tensor.instruction == hlo::kNoId) return false;
  const hlo::Instruction& i = e_.sharded->module.instruction(tensor.instruction);
  return i.opcode == hlo::Opcode::kParameter && i.computation == e_.sharded->module.entry_id();
}

FixEffect FixTrial::EffectOf(const Specs& after) const {
  FixEffect effect;
  for (const auto& [name, tensor] : before_) {
    const auto now = after.find(name);
    if (now == after.end() || now->second.spec == tensor.spec) continue;
    if (name != target_) ++effect.tensors_changed;
    const bool is_result = name[0] == '/';  // as in SpecsOf()
    if (!is_result && IsArgument(tensor)) {
      effect.argument_bytes += ShareOf(now->second).bytes - ShareOf(tensor).bytes;
    }
  }
  return effect;
}

}  // namespace tessera::pipeline
