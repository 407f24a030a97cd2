#include "tessera/pipeline/verbs/golden/golden_causes.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/sharding/explain/chain.h"
#include "tessera/sharding/explain/gains.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::explain::Annotation;
using sharding::explain::Chain;
using sharding::explain::Endpoint;
using sharding::explain::Event;
using sharding::explain::Link;
using sharding::explain::SlotId;
using sharding::explain::Verdict;
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

class CauseFinder {
 public:
  CauseFinder(const Comparison& comparison, const Recording& after, const Explained& now)
      : changes_(comparison.changes), e_(now), labels_(now) {
    const auto slots = SlotsByName(now);
    for (const sharding::golden::Change& change : changes_) {
      const auto found = slots.find(after.entries[static_cast<size_t>(change.after)].name);
      slots_.push_back(found == slots.end() ? sharding::explain::kNoIndex : found->second);
      if (slots_.back() >= 0) change_of_.try_emplace(slots_.back(), slots_.size() - 1);
    }
  }

  std::vector<GoldenCause> Find() {
    for (size_t c = 0; c < changes_.size(); ++c) {
      if (slots_[c] < 0) continue;
      for (const AxisChange& axis : changes_[c].axes) {
        if (axis.kind == Kind::kLost && IsLoss(axis)) AddLoss(c, axis);
        if (IsGain(axis)) AddGain(c, axis);
      }
    }
    std::vector<GoldenCause> causes;
    for (auto& [root, cause] : causes_) {
      cause.followers = static_cast<int>(followers_[root].size());
      causes.push_back(std::move(cause));
    }
    absl::c_stable_sort(causes, [](const GoldenCause& a, const GoldenCause& b) {
      return a.followers > b.followers;
    });
    return causes;
  }

 private:
  // A change, one of its axes, and whether that was gained.
  using Root = std::tuple<size_t, std::string, bool>;

  // At a dimension where it was not before.
  static bool IsGain(const AxisChange& axis) {
    return (axis.kind == Kind::kGained || axis.kind == Kind::kMoved) && axis.to >= 0;
  }

  // From a dimension: what was unreduced is no dimension's loss.
  static bool IsLoss(const AxisChange& axis) {
    return (axis.kind == Kind::kLost || axis.kind == Kind::kMoved) && axis.from >= 0;
  }

  // The change of that tensor of the same axis in the same way; what moved was lost and gained.
  std::optional<size_t> ChangeAt(SlotId slot, const AxisChange& axis, AxisChange* found) const {
    const auto change = change_of_.find(slot);
    if (change == change_of_.end()) return std::nullopt;
    for (const AxisChange& other : changes_[change->second].axes) {
      const bool is_alike = IsGain(axis) ? IsGain(other) : IsLoss(other);
      if (!is_alike || other.mesh_axis != axis.mesh_axis) continue;
      *found = other;
      return change->second;
    }
    return std::nullopt;
  }

  void Add(size_t change, size_t root, const AxisChange& axis, std::string kind,
           std::string message) {
    const Root key = {root, axis.mesh_axis, IsGain(axis)};
    causes_.try_emplace(
        key, GoldenCause{static_cast<int>(root), axis, std::move(kind), std::move(message), 0});
    if (change != root) followers_[key].insert(change);
  }

  // --- lost ----------------------------------------------------------------------------------------

  void AddLoss(size_t c, const AxisChange& axis) {
    std::vector<Verdict> verdicts = Ask(slots_[c], axis);
    if (verdicts.empty()) return;
    size_t root = c;
    AxisChange root_axis = axis;
    if (verdicts[0].path.empty()) {
      root = FirstWithout(axis, c, &root_axis);
    } else {
      for (const Endpoint& at : verdicts[0].path) {
        const std::optional<size_t> change = ChangeAt(at.slot, axis, &root_axis);
        if (!change.has_value()) continue;
        root = *change;
        break;
      }
    }
    if (root != c) verdicts = Ask(slots_[root], root_axis);
    if (verdicts.empty()) return;
    const std::string kind = KindWord(verdicts[0].headline.kind);
    const std::optional<std::string> said = Said(slots_[root]);
    Add(c, root, root_axis, kind,
        said.has_value() ? absl::StrCat("annotated ", *said, " now")
                         : RefusalMessage(e_, labels_, verdicts[0].headline));
  }

  std::vector<Verdict> Ask(SlotId slot, const AxisChange& axis) {
    return e_.why_not->Ask(slot, static_cast<int>(axis.from), {{axis.mesh_axis}});
  }

  size_t FirstWithout(const AxisChange& axis, size_t last, AxisChange* found) const {
    for (size_t c = 0; c < last; ++c) {
      if (slots_[c] < 0) continue;
      const std::optional<size_t> change = ChangeAt(slots_[c], axis, found);
      if (change.has_value()) return *change;
    }
    *found = axis;
    return last;
  }

  // What the user wrote about the tensor itself.
  std::optional<std::string> Said(SlotId slot) const {
    for (const Annotation& a : e_.log->annotations()) {
      if (a.slot == slot) return labels_.Annotation(a);
    }
    return std::nullopt;
  }

  // --- gained --------------------------------------------------------------------------------------

  void AddGain(size_t c, const AxisChange& axis) {
    const sharding::TensorSharding* own = e_.Final(slots_[c]);
    if (own == nullptr) return;
    const sharding::Mesh& mesh = e_.log->MeshOf(e_.FinalId(slots_[c]));
    for (const AxisRef part : sharding::explain::AxesAt(own, static_cast<int>(axis.to))) {
      if (mesh.axis(part.axis()).name != axis.mesh_axis) continue;
      const auto chains = Why(*e_.log, slots_[c], static_cast<int>(axis.to), part);
      if (!chains.empty()) AddChain(c, axis, chains.front());
      return;
    }
  }

  // Links are in order of time, the last first.
  void AddChain(size_t c, const AxisChange& axis, const Chain& chain) {
    AxisChange root_axis = axis;
    for (auto link = chain.links.rbegin(); link != chain.links.rend(); ++link) {
      const std::optional<size_t> root = ChangeAt(link->slot, axis, &root_axis);
      if (!root.has_value()) continue;
      const Event& event = e_.log->event(link->event);
      const bool is_said = event.cause == sharding::explain::EventCause::kAnnotation;
      return Add(c, *root, root_axis, is_said ? "annotation" : "flow",
                 absl::StrCat(is_said ? "" : StepText(*link, event), "asked for by ",
                              AnnotationText(chain.annotation)));
    }
  }

  // "from x dim 0 by y, step 2, level 2, "
  std::string StepText(const Link& link, const Event& event) const {
    const sharding::explain::Gain& gain = event.gains[static_cast<size_t>(link.gain)];
    if (gain.from.empty() || event.step < 0) return "";
    const auto& step = e_.log->steps()[static_cast<size_t>(event.step)];
    return absl::StrCat("from ", labels_.At(gain.from[0]), " dim ", gain.from[0].dim, " by ",
                        labels_.Op(step.op, step.output), ", step ", event.time.step, ", level ",
                        event.time.level, ", ");
  }

  std::string AnnotationText(int32_t number) const {
    if (number < 0) return "no annotation: the operation is computed so";
    return labels_.Annotation(e_.log->annotations()[static_cast<size_t>(number)]);
  }

  const std::vector<sharding::golden::Change>& changes_;
  const Explained& e_;
  const Labels labels_;
  std::vector<SlotId> slots_;  // by change
  absl::flat_hash_map<SlotId, size_t> change_of_;
  std::map<Root, GoldenCause> causes_;
  std::map<Root, std::set<size_t>> followers_;
};

}  // namespace

std::vector<GoldenCause> FindCauses(const Comparison& comparison, const Recording& after,
                                    const Explained& now) {
  return CauseFinder(comparison, after, now).Find();
}

}  // namespace tessera::pipeline
