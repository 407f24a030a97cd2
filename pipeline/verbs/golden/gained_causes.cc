#include "tessera/pipeline/verbs/golden/gained_causes.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/explain/gains.h"

namespace tessera::pipeline {

using sharding::AxisRef;
using sharding::explain::Chain;

std::optional<GainedCauses::Found> GainedCauses::OriginOf(size_t c, const AxisChange& axis) {
  const auto slot = changed_.SlotOf(c);
  const int dim = static_cast<int>(axis.to);
  const sharding::TensorSharding* own = e_.Final(slot);
  if (own == nullptr) return std::nullopt;
  const sharding::Mesh& mesh = e_.log->MeshOf(e_.FinalId(slot));
  for (const AxisRef part : sharding::explain::AxesAt(own, dim)) {
    if (mesh.axis(part.axis()).name != axis.mesh_axis) continue;
    const std::vector<Link> last = LastLinks(*e_.log, slot, dim, part);
    if (last.empty()) return std::nullopt;
    OnChain found = FirstBefore(last[0], axis);
    if (last.size() > 1 || found.in_parts) {
      found = FirstOnChain(Why(*e_.log, slot, dim, part).front(), axis);
    }
    if (!found.first.has_value()) return std::nullopt;
    return Found{found.first->second, found.first->first, found.annotation};
  }
  return std::nullopt;
}

// Links are in order of time, the last first.
GainedCauses::OnChain GainedCauses::FirstOnChain(const Chain& chain, const AxisChange& axis) const {
  OnChain found;
  found.annotation = chain.annotation;
  for (auto link = chain.links.rbegin(); link != chain.links.rend(); ++link) {
    const std::optional<ChangeOrigin> at = changed_.OriginAt(link->slot, axis);
    if (!at.has_value()) continue;
    found.first = {*link, *at};
    break;
  }
  return found;
}

// The answer for a link holds for all before it.
GainedCauses::OnChain GainedCauses::FirstBefore(const Link& last, const AxisChange& axis) {
  auto& known = on_chains_[axis.mesh_axis];
  std::vector<Link> links;
  OnChain found;
  for (std::vector<Link> next = {last}; !next.empty(); next = LinksBefore(*e_.log, links.back())) {
    const auto before = known.find(KeyOf(next[0]));
    found.in_parts = next.size() > 1;
    if (found.in_parts) break;
    if (before != known.end()) {
      found = before->second;
      break;
    }
    links.push_back(next[0]);
    const Event& event = e_.log->event(next[0].event);
    const bool is_said = event.cause == sharding::explain::EventCause::kAnnotation;
    found.annotation = is_said ? event.annotation : sharding::explain::kNoIndex;
  }
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    if (!found.first.has_value()) {
      if (const auto at = changed_.OriginAt(link->slot, axis)) found.first = {*link, *at};
    }
    known.emplace(KeyOf(*link), found);
  }
  return found;
}

CauseText GainedCauses::TextOf(const Found& found) const {
  const Event& event = e_.log->event(found.link.event);
  const bool is_said = event.cause == sharding::explain::EventCause::kAnnotation;
  return {is_said ? "annotation" : "flow",
          absl::StrCat(is_said ? "from " : StepText(found.link, event),
                       AnnotationText(found.annotation))};
}

// "from x dim 0 by y, step 2, level 2, first from "
std::string GainedCauses::StepText(const Link& link, const Event& event) const {
  const sharding::explain::Gain& gain = event.gains[static_cast<size_t>(link.gain)];
  if (gain.from.empty() || event.step < 0) return "from ";
  const auto& step = e_.log->steps()[static_cast<size_t>(event.step)];
  return absl::StrCat("from ", labels_.At(gain.from[0]), " dim ", gain.from[0].dim, " by ",
                      labels_.Op(step.op, step.output), ", step ", event.time.step, ", level ",
                      event.time.level, ", first from ");
}

std::string GainedCauses::AnnotationText(int32_t number) const {
  if (number < 0) return "no annotation: the operation is computed so";
  return labels_.Annotation(e_.log->annotations()[static_cast<size_t>(number)]);
}

}  // namespace tessera::pipeline
