// Small edits of annotations that might bring an axis to a dimension, to be tried (fixes.h).
//
//   for (const FixCandidate& c : CandidatesFor(explained, labels, slot, verdict)) {
//     c.texts;    // {"constrain y: P('a', None)"}
//     c.edits;    // for ShardOptions::edits
//   }
//
// Which edits are worth a try depends on the refusal; a table says. The tensor itself can always be
// constrained, unless it lies in a shard_map that is manual on the axis, or takes no part.

#ifndef TESSERA_PIPELINE_EXPLAIN_FIXES_FIX_CANDIDATES_H_
#define TESSERA_PIPELINE_EXPLAIN_FIXES_FIX_CANDIDATES_H_

#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/fixes/candidate_list.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

// Cheapest first.
std::vector<FixCandidate> CandidatesFor(const Explained& explained, const Labels& labels,
                                        sharding::explain::SlotId slot,
                                        const sharding::explain::Verdict& verdict);

// The tensor with this sharding from the start: its annotation, or a new constraint on it. Of a
// mesh of the program; empty where no constraint can stand.
std::vector<FixCandidate> CandidatesToHave(const Explained& explained, const Labels& labels,
                                           sharding::explain::SlotId slot,
                                           sharding::TensorSharding wanted);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIXES_FIX_CANDIDATES_H_
