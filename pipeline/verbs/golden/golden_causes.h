// Why tensors are sharded otherwise than before: where the two runs part.
//
//   for (const GoldenCause& cause : FindCauses(comparison, after, explained)) {
//     cause.change;      // "w lost 'model' on dimension 1"
//     cause.message;     // "annotated P() now"
//     cause.followers;   // 4 other tensors lost it since this one did
//   }
//
// Of the run before only the shardings are known, so the run of now is asked: lost_causes.h and
// gained_causes.h.
//
// Cost: an explanation for each axis of each change. Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_CAUSES_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_CAUSES_H_

#include <string>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::pipeline {

struct GoldenCause {
  int change = 0;                     // of Comparison::changes
  sharding::golden::AxisChange axis;  // of that change
  std::string kind;                   // of the refusal, or "annotation", "flow"
  std::string message;
  int followers = 0;  // other tensors that changed with this one
};

// `now`: the run that `after` is a recording of. Changed annotations first, then those with most followers.
std::vector<GoldenCause> FindCauses(const sharding::golden::Comparison& comparison,
                                    const sharding::golden::Recording& after, const Explained& now);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_CAUSES_H_
