#include "tessera/pipeline/verbs/golden/lost_causes.h"

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"

namespace tessera::pipeline {

using sharding::explain::Annotation;
using sharding::explain::Endpoint;
using sharding::explain::Verdict;

LostCauses::LostCauses(const Explained& now, const ChangedTensors& changed, const Labels& labels)
    : e_(now),
      changed_(changed),
      labels_(labels),
      annotated_(now, changed.LostByAxis()),
      first_losses_(changed.FirstLosses()) {}

std::optional<ChangeOrigin> LostCauses::OriginOf(size_t c, const AxisChange& axis) {
  const SlotId slot = changed_.SlotOf(c);
  if (const auto annotated = annotated_.AnnotatedOf(axis.mesh_axis, slot)) {
    return changed_.OriginAt(*annotated, axis);
  }
  const int dim = static_cast<int>(axis.from);
  HolderPaths* const ways = e_.why_not->WaysOf(slot, dim, {axis.mesh_axis});
  if (ways != nullptr && ways->Next(slot, dim).has_value()) {
    return FirstOnWay(ways, slot, dim, axis).value_or(ChangeOrigin{c, axis});
  }
  const std::vector<Verdict> verdicts = Ask(slot, axis);
  if (verdicts.empty()) return std::nullopt;
  if (verdicts[0].path.empty()) return FirstWithout(axis, c);
  for (const Endpoint& at : verdicts[0].path) {
    if (auto origin = changed_.OriginAt(at.slot, axis)) return origin;
  }
  return ChangeOrigin{c, axis};
}

std::optional<CauseText> LostCauses::TextOf(const ChangeOrigin& origin, size_t c,
                                            const AxisChange& axis) {
  const SlotId slot = changed_.SlotOf(origin.change);
  const std::optional<std::string> said = Said(slot);
  if (annotated_.AnnotatedOf(axis.mesh_axis, changed_.SlotOf(c)).has_value()) {
    return CauseText{"annotation", absl::StrCat("annotated ", said.value_or(""), " now")};
  }
  const std::vector<Verdict> verdicts = Ask(slot, origin.change == c ? axis : origin.axis);
  if (verdicts.empty()) return std::nullopt;
  return CauseText{KindWord(verdicts[0].headline.kind),
                   said.has_value() ? absl::StrCat("annotated ", *said, " now")
                                    : RefusalMessage(e_, labels_, verdicts[0].headline)};
}

// The answer for a place holds for all after it.
std::optional<ChangeOrigin> LostCauses::FirstOnWay(HolderPaths* ways, SlotId slot, int dim,
                                                   const AxisChange& axis) {
  auto& known = on_ways_[{ways, axis.mesh_axis}];
  std::vector<std::pair<SlotId, int>> places;
  std::optional<ChangeOrigin> first;
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
    first = changed_.OriginAt(at.first, axis);
    break;
  }
  for (auto at = places.rbegin(); at != places.rend(); ++at) {
    if (!first.has_value()) first = changed_.OriginAt(at->first, axis);
    known.emplace(*at, first);
  }
  return first;
}

// The first of all changes that lost the axis.
ChangeOrigin LostCauses::FirstWithout(const AxisChange& axis, size_t last) const {
  const auto first = first_losses_.find(axis.mesh_axis);
  if (first == first_losses_.end() || first->second.change >= last) return {last, axis};
  return first->second;
}

std::vector<Verdict> LostCauses::Ask(SlotId slot, const AxisChange& axis) const {
  return e_.Ask(slot, static_cast<int>(axis.from), {{axis.mesh_axis}});
}

// The user's annotation of the tensor itself.
std::optional<std::string> LostCauses::Said(SlotId slot) const {
  for (const Annotation& a : e_.log->annotations()) {
    if (a.slot == slot) return labels_.Annotation(a);
  }
  return std::nullopt;
}

}  // namespace tessera::pipeline
