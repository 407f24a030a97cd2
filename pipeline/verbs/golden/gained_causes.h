// Where two runs part that gained an axis: the first tensor that did not have it before, on its way from
// the annotation.
//
//   GainedCauses gained(explained, changed, labels);
//   const auto origin = gained.OriginOf(3, axis);    // of change 3
//   gained.TextOf(*origin);                          // "flow", "from x dim 0 by y, step 2, level 2, first from .."
//
// Cost: chains that meet are one from there on, and their links are remembered: linear in them. Axes that
// came in parts are explained one by one. Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GAINED_CAUSES_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GAINED_CAUSES_H_

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/verbs/golden/changed_tensors.h"
#include "tessera/pipeline/verbs/golden/lost_causes.h"
#include "tessera/sharding/explain/chain.h"

namespace tessera::pipeline {

// All arguments must outlive it.
class GainedCauses {
 public:
  GainedCauses(const Explained& now, const ChangedTensors& changed, const Labels& labels)
      : e_(now), changed_(changed), labels_(labels) {}

  // A change on the way, the link by which it came there, and the annotation where the way begins.
  struct Found {
    ChangeOrigin origin;
    sharding::explain::Link link;
    int32_t annotation = sharding::explain::kNoIndex;
  };

  std::optional<Found> OriginOf(size_t c, const sharding::golden::AxisChange& axis);
  CauseText TextOf(const Found& found) const;

 private:
  using AxisChange = sharding::golden::AxisChange;
  using Event = sharding::explain::Event;
  using Link = sharding::explain::Link;
  using LinkKey = std::tuple<int32_t, int, sharding::AxisRef>;

  // Of an axis that came in one piece, link by link.
  struct OnChain {
    bool in_parts = false;
    int32_t annotation = sharding::explain::kNoIndex;    // at the end of the chain
    std::optional<std::pair<Link, ChangeOrigin>> first;  // of the changes on it
  };

  static LinkKey KeyOf(const Link& link) { return {link.event, link.gain, link.axis}; }
  OnChain FirstOnChain(const sharding::explain::Chain& chain, const AxisChange& axis) const;
  OnChain FirstBefore(const Link& last, const AxisChange& axis);
  std::string StepText(const Link& link, const Event& event) const;
  std::string AnnotationText(int32_t number) const;

  const Explained& e_;
  const ChangedTensors& changed_;
  const Labels& labels_;
  std::map<std::string, absl::flat_hash_map<LinkKey, OnChain>> on_chains_;  // by axis
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GAINED_CAUSES_H_
