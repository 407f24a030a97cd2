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
#include "tessera/pipeline/verbs/golden/annotated_losses.h"
#include "tessera/sharding/explain/chain.h"
#include "tessera/sharding/explain/gains.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::explain::Annotation;
using sharding::explain::Chain;
using sharding::explain::Endpoint;
using sharding::explain::Event;
using sharding::explain::HolderPaths;
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
    annotated_.emplace(now, LostByAxis());
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

  AnnotatedLosses::LostByAxis LostByAxis() const {
    AnnotatedLosses::LostByAxis lost;
    for (const auto& [slot, change] : change_of_) {
      for (const AxisChange& axis : changes_[change].axes) {
        if (IsLoss(axis)) lost[axis.mesh_axis].try_emplace(slot, axis.from);
      }
    }
    return lost;
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

  // A change from which others follow, and its axis.
  struct Origin {
    size_t change = 0;
    AxisChange axis;
  };

  static Root KeyOf(const Origin& origin) {
    return {origin.change, origin.axis.mesh_axis, IsGain(origin.axis)};
  }

  std::optional<Origin> OriginAt(SlotId slot, const AxisChange& axis) const {
    Origin origin;
    const std::optional<size_t> change = ChangeAt(slot, axis, &origin.axis);
    if (!change.has_value()) return std::nullopt;
    origin.change = *change;
    return origin;
  }

  bool IsKnown(const Origin& origin) const { return causes_.count(KeyOf(origin)) > 0; }

  void AddCause(const Origin& origin, std::string kind, std::string message) {
    causes_.try_emplace(KeyOf(origin), GoldenCause{static_cast<int>(origin.change), origin.axis,
                                                   std::move(kind), std::move(message), 0});
  }

  void AddFollower(size_t change, const Origin& origin) {
    if (change != origin.change) followers_[KeyOf(origin)].insert(change);
  }

  // --- lost ----------------------------------------------------------------------------------------

  void AddLoss(size_t c, const AxisChange& axis) {
    if (const auto slot = annotated_->AnnotatedOf(axis.mesh_axis, slots_[c]); slot.has_value()) {
      const Origin origin = *OriginAt(*slot, axis);
      AddCause(origin, "annotation", absl::StrCat("annotated ", *Said(*slot), " now"));
      return AddFollower(c, origin);
    }
    const std::optional<Origin> origin = OriginOfLoss(c, axis);
    if (!origin.has_value()) return;
    if (!IsKnown(*origin)) {
      const auto verdicts = Ask(slots_[origin->change], origin->change == c ? axis : origin->axis);
      if (verdicts.empty()) return;
      const std::optional<std::string> said = Said(slots_[origin->change]);
      AddCause(*origin, KindWord(verdicts[0].headline.kind),
               said.has_value() ? absl::StrCat("annotated ", *said, " now")
                                : RefusalMessage(e_, labels_, verdicts[0].headline));
    }
    AddFollower(c, *origin);
  }

  // The first change on the way of the axis to that tensor; none where it is there.
  std::optional<Origin> OriginOfLoss(size_t c, const AxisChange& axis) {
    const int dim = static_cast<int>(axis.from);
    HolderPaths* const ways = e_.why_not->WaysOf(slots_[c], dim, {axis.mesh_axis});
    if (ways != nullptr && ways->Next(slots_[c], dim).has_value()) {
      const std::optional<Origin> first = FirstOnWay(ways, slots_[c], dim, axis);
      return first.has_value() ? *first : Origin{c, axis};
    }
    const std::vector<Verdict> verdicts = Ask(slots_[c], axis);
    if (verdicts.empty()) return std::nullopt;
    if (verdicts[0].path.empty()) return FirstWithout(axis, c);
    for (const Endpoint& at : verdicts[0].path) {
      if (auto origin = OriginAt(at.slot, axis)) return origin;
    }
    return Origin{c, axis};
  }

  // All ways to one axis are one tree: what is known of a place holds for all behind it.
  std::optional<Origin> FirstOnWay(HolderPaths* ways, SlotId slot, int dim,
                                   const AxisChange& axis) {
    auto& known = on_ways_[{ways, axis.mesh_axis}];
    std::vector<std::pair<SlotId, int>> places;
    std::optional<Origin> first;
    for (std::pair<SlotId, int> at = {slot, dim};;) {
      if (const auto found = known.find(at); found != known.end()) {
        first = found->second;
        break;
      }
      places.push_back(at);
      const std::optional<HolderPaths::Step> step = ways->Next(at.first, at.second);
      if (!step.has_value()) break;
      at = {step->at.slot, step->at.dim};
      if (!step->is_holder) continue;
      first = OriginAt(at.first, axis);
      break;
    }
    for (auto at = places.rbegin(); at != places.rend(); ++at) {
      if (!first.has_value()) first = OriginAt(at->first, axis);
      known.emplace(*at, first);
    }
    return first;
  }

  std::vector<Verdict> Ask(SlotId slot, const AxisChange& axis) {
    return e_.why_not->Ask(slot, static_cast<int>(axis.from), {{axis.mesh_axis}});
  }

  // The first of all changes that lost the axis.
  Origin FirstWithout(const AxisChange& axis, size_t last) {
    if (first_losses_.empty()) FindFirstLosses();
    const auto first = first_losses_.find(axis.mesh_axis);
    if (first == first_losses_.end() || first->second.first >= last) return {last, axis};
    return first->second.second;
  }

  void FindFirstLosses() {
    for (size_t c = 0; c < changes_.size(); ++c) {
      if (slots_[c] < 0) continue;
      for (const AxisChange& axis : changes_[change_of_.at(slots_[c])].axes) {
        if (!IsLoss(axis)) continue;
        first_losses_.try_emplace(axis.mesh_axis, c, Origin{change_of_.at(slots_[c]), axis});
      }
    }
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
      const std::vector<Link> last = LastLinks(*e_.log, slots_[c], static_cast<int>(axis.to), part);
      if (last.empty()) return;
      GainOrigin origin = OriginOfGain(last[0], axis);
      if (last.size() > 1 || origin.in_parts) {
        origin =
            FirstOnChain(Why(*e_.log, slots_[c], static_cast<int>(axis.to), part).front(), axis);
      }
      if (origin.first.has_value()) AddGainFrom(c, origin);
      return;
    }
  }

  // Of an axis that came in one piece, link by link.
  struct GainOrigin {
    bool in_parts = false;
    int32_t annotation = sharding::explain::kNoIndex;  // at the end of the chain
    std::optional<std::pair<Link, Origin>> first;      // of the changes on it
  };

  // Links are in order of time, the last first.
  GainOrigin FirstOnChain(const Chain& chain, const AxisChange& axis) const {
    GainOrigin origin;
    origin.annotation = chain.annotation;
    for (auto link = chain.links.rbegin(); link != chain.links.rend(); ++link) {
      const std::optional<Origin> at = OriginAt(link->slot, axis);
      if (!at.has_value()) continue;
      origin.first = {*link, *at};
      break;
    }
    return origin;
  }

  // Chains that meet are one from there on: what is known of a link holds for all before it.
  GainOrigin OriginOfGain(const Link& last, const AxisChange& axis) {
    auto& known = on_chains_[axis.mesh_axis];
    std::vector<Link> links;
    GainOrigin origin;
    for (std::vector<Link> next = {last}; !next.empty();
         next = LinksBefore(*e_.log, links.back())) {
      const auto found = known.find(KeyOf(next[0]));
      origin.in_parts = next.size() > 1;
      if (origin.in_parts) break;
      if (found != known.end()) {
        origin = found->second;
        break;
      }
      links.push_back(next[0]);
      const Event& event = e_.log->event(next[0].event);
      const bool is_said = event.cause == sharding::explain::EventCause::kAnnotation;
      origin.annotation = is_said ? event.annotation : sharding::explain::kNoIndex;
    }
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
      if (!origin.first.has_value()) {
        if (const auto at = OriginAt(link->slot, axis)) origin.first = {*link, *at};
      }
      known.emplace(KeyOf(*link), origin);
    }
    return origin;
  }

  using LinkKey = std::tuple<int32_t, int, AxisRef>;
  static LinkKey KeyOf(const Link& link) { return {link.event, link.gain, link.axis}; }

  void AddGainFrom(size_t c, const GainOrigin& gain) {
    const auto& [link, origin] = *gain.first;
    if (!IsKnown(origin)) {
      const Event& event = e_.log->event(link.event);
      const bool is_said = event.cause == sharding::explain::EventCause::kAnnotation;
      AddCause(origin, is_said ? "annotation" : "flow",
               absl::StrCat(is_said ? "" : StepText(link, event), "asked for by ",
                            AnnotationText(gain.annotation)));
    }
    AddFollower(c, origin);
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
  std::optional<AnnotatedLosses> annotated_;
  std::vector<SlotId> slots_;  // by change
  absl::flat_hash_map<SlotId, size_t> change_of_;
  std::map<std::pair<HolderPaths*, std::string>,
           absl::flat_hash_map<std::pair<SlotId, int>, std::optional<Origin>>>
      on_ways_;                                                    // by the place on the way
  std::map<std::string, std::pair<size_t, Origin>> first_losses_;  // by axis, with its change
  std::map<std::string, absl::flat_hash_map<LinkKey, GainOrigin>> on_chains_;  // by axis
  std::map<Root, GoldenCause> causes_;
  std::map<Root, std::set<size_t>> followers_;
};

}  // namespace

std::vector<GoldenCause> FindCauses(const Comparison& comparison, const Recording& after,
                                    const Explained& now) {
  return CauseFinder(comparison, after, now).Find();
}

}  // namespace tessera::pipeline
