#include "tessera/pipeline/verbs/golden/changed_tensors.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::SlotId;
using sharding::golden::AxisChange;
using sharding::golden::Comparison;
using sharding::golden::Recording;
using Kind = AxisChange::Kind;

// The tensors of a run by their names in a recording.
absl::flat_hash_map<std::string, SlotId> SlotsByName(const Explained& e) {
  absl::flat_hash_map<std::string, SlotId> slots;
  const hlo::Module& module = e.sharded->module;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const int leaves = e.names->num_leaves(id);
    for (int leaf = 0; leaf < leaves; ++leaf) {
      const auto value = e.names->ValueOf(id, leaf);
      if (value == sharding::propagation::kNone) continue;
      const std::string name(module.instruction(id).name);
      slots.try_emplace(leaves == 1 ? name : absl::StrCat(name, "{", leaf, "}"),
                        e.log->SlotOf(value));
    }
  }
  const int results = static_cast<int>(e.log->numbered().outputs().size());
  for (int k = 0; k < results; ++k) {
    slots[results == 1 ? "result" : absl::StrCat("result{", k, "}")] = e.log->SlotOfOutput(k);
  }
  return slots;
}

}  // namespace

bool IsGain(const AxisChange& axis) {
  return (axis.kind == Kind::kGained || axis.kind == Kind::kMoved) && axis.to >= 0;
}

bool IsLoss(const AxisChange& axis) {
  return (axis.kind == Kind::kLost || axis.kind == Kind::kMoved) && axis.from >= 0;
}

ChangedTensors::ChangedTensors(const Comparison& comparison, const Recording& after,
                               const Explained& now)
    : changes_(comparison.changes) {
  const auto slots = SlotsByName(now);
  for (const sharding::golden::Change& change : changes_) {
    const auto found = slots.find(after.entries[static_cast<size_t>(change.after)].name);
    slots_.push_back(found == slots.end() ? sharding::explain::kNoIndex : found->second);
    if (slots_.back() >= 0) change_of_.try_emplace(slots_.back(), slots_.size() - 1);
  }
}

std::optional<ChangeOrigin> ChangedTensors::OriginAt(SlotId slot, const AxisChange& axis) const {
  const auto change = change_of_.find(slot);
  if (change == change_of_.end()) return std::nullopt;
  for (const AxisChange& other : changes_[change->second].axes) {
    const bool is_alike = IsGain(axis) ? IsGain(other) : IsLoss(other);
    if (is_alike && other.mesh_axis == axis.mesh_axis) return ChangeOrigin{change->second, other};
  }
  return std::nullopt;
}

AnnotatedLosses::LostByAxis ChangedTensors::LostByAxis() const {
  AnnotatedLosses::LostByAxis lost;
  for (const auto& [slot, change] : change_of_) {
    for (const AxisChange& axis : changes_[change].axes) {
      if (IsLoss(axis)) lost[axis.mesh_axis].try_emplace(slot, axis.from);
    }
  }
  return lost;
}

std::map<std::string, ChangeOrigin> ChangedTensors::FirstLosses() const {
  std::map<std::string, ChangeOrigin> first;
  for (size_t c = 0; c < changes_.size(); ++c) {
    if (slots_[c] < 0) continue;
    const size_t change = change_of_.at(slots_[c]);
    for (const AxisChange& axis : changes_[change].axes) {
      if (IsLoss(axis)) first.try_emplace(axis.mesh_axis, ChangeOrigin{change, axis});
    }
  }
  return first;
}

}  // namespace tessera::pipeline
