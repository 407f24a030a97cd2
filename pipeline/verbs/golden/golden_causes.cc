#include "tessera/pipeline/verbs/golden/golden_causes.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/verbs/golden/changed_tensors.h"
#include "tessera/pipeline/verbs/golden/gained_causes.h"
#include "tessera/pipeline/verbs/golden/lost_causes.h"

namespace tessera::pipeline {
namespace {

using sharding::golden::AxisChange;
using sharding::golden::Comparison;
using sharding::golden::Recording;

class CauseFinder {
 public:
  CauseFinder(const Comparison& comparison, const Recording& after, const Explained& now)
      : labels_(now),
        changed_(comparison, after, now),
        lost_(now, changed_, labels_),
        gained_(now, changed_, labels_) {}

  std::vector<GoldenCause> Find() {
    for (size_t c = 0; c < changed_.changes().size(); ++c) {
      if (changed_.SlotOf(c) < 0) continue;
      for (const AxisChange& axis : changed_.changes()[c].axes) {
        if (axis.kind == AxisChange::Kind::kLost && IsLoss(axis)) AddLoss(c, axis);
        if (IsGain(axis)) AddGain(c, axis);
      }
    }
    std::vector<GoldenCause> causes;
    for (auto& [root, cause] : causes_) {
      cause.followers = static_cast<int>(followers_[root].size());
      causes.push_back(std::move(cause));
    }
    const auto rank = [](const GoldenCause& cause) {
      return std::tuple(cause.kind == "annotation", cause.followers);
    };
    absl::c_stable_sort(
        causes, [&](const GoldenCause& a, const GoldenCause& b) { return rank(a) > rank(b); });
    return causes;
  }

 private:
  // A change, one of its axes, and whether that was gained.
  using Root = std::tuple<size_t, std::string, bool>;

  static Root KeyOf(const ChangeOrigin& origin) {
    return {origin.change, origin.axis.mesh_axis, IsGain(origin.axis)};
  }

  bool IsKnown(const ChangeOrigin& origin) const { return causes_.count(KeyOf(origin)) > 0; }

  void AddLoss(size_t c, const AxisChange& axis) {
    const std::optional<ChangeOrigin> origin = lost_.OriginOf(c, axis);
    if (!origin.has_value()) return;
    if (!IsKnown(*origin)) {
      const std::optional<CauseText> text = lost_.TextOf(*origin, c, axis);
      if (!text.has_value()) return;
      AddCause(*origin, *text);
    }
    AddFollower(c, *origin);
  }

  void AddGain(size_t c, const AxisChange& axis) {
    const auto found = gained_.OriginOf(c, axis);
    if (!found.has_value()) return;
    if (!IsKnown(found->origin)) AddCause(found->origin, gained_.TextOf(*found));
    AddFollower(c, found->origin);
  }

  void AddCause(const ChangeOrigin& origin, const CauseText& text) {
    causes_.try_emplace(KeyOf(origin), GoldenCause{static_cast<int>(origin.change), origin.axis,
                                                   text.kind, text.message, 0});
  }

  void AddFollower(size_t change, const ChangeOrigin& origin) {
    if (change != origin.change) followers_[KeyOf(origin)].insert(change);
  }

  const Labels labels_;
  const ChangedTensors changed_;
  LostCauses lost_;
  GainedCauses gained_;
  std::map<Root, GoldenCause> causes_;
  std::map<Root, std::set<size_t>> followers_;
};

}  // namespace

std::vector<GoldenCause> FindCauses(const Comparison& comparison, const Recording& after,
                                    const Explained& now) {
  return CauseFinder(comparison, after, now).Find();
}

}  // namespace tessera::pipeline
