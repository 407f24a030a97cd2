// Where two runs part that lost an axis.
//
//   LostCauses lost(explained, changed, labels);
//   const std::optional<ChangeOrigin> origin = lost.OriginOf(3, axis);   // of change 3
//   lost.TextOf(*origin, 3, axis);                                       // "annotation", "annotated P() now"
//
// It is the annotation of now that closes the dimension (annotated_losses.h). Else it is the first tensor
// that had the axis on the way from what refuses it now. Where nothing leads there any more, it is the
// first tensor of the program that lost the axis.
//
// Cost: an explanation for each axis of each change; ways to one axis are one tree, whose places are
// remembered. Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_LOST_CAUSES_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_LOST_CAUSES_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/verbs/golden/annotated_losses.h"
#include "tessera/pipeline/verbs/golden/changed_tensors.h"

namespace tessera::pipeline {

struct CauseText {
  std::string kind;  // of the refusal, or "annotation", "flow"
  std::string message;
};

// All arguments must outlive it.
class LostCauses {
 public:
  LostCauses(const Explained& now, const ChangedTensors& changed, const Labels& labels);

  // The change that the loss of change `c` follows from; none if nothing refuses the axis.
  std::optional<ChangeOrigin> OriginOf(size_t c, const sharding::golden::AxisChange& axis);

  // Why that change lost it; none where nothing is known. `c` and `axis`: those that asked.
  std::optional<CauseText> TextOf(const ChangeOrigin& origin, size_t c,
                                  const sharding::golden::AxisChange& axis);

 private:
  using AxisChange = sharding::golden::AxisChange;
  using HolderPaths = sharding::explain::HolderPaths;
  using SlotId = sharding::explain::SlotId;

  std::optional<ChangeOrigin> FirstOnWay(HolderPaths* ways, SlotId slot, int dim,
                                         const AxisChange& axis);
  ChangeOrigin FirstWithout(const AxisChange& axis, size_t last) const;
  std::vector<sharding::explain::Verdict> Ask(SlotId slot, const AxisChange& axis) const;
  std::optional<std::string> Said(SlotId slot) const;

  const Explained& e_;
  const ChangedTensors& changed_;
  const Labels& labels_;
  const AnnotatedLosses annotated_;
  const std::map<std::string, ChangeOrigin> first_losses_;  // by axis
  // By the place on the way.
  std::map<std::pair<HolderPaths*, std::string>,
           absl::flat_hash_map<std::pair<SlotId, int>, std::optional<ChangeOrigin>>>
      on_ways_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_LOST_CAUSES_H_
