// Cures: the smallest edits of annotations that bring an axis to where it is not, each tried.
//
//   const Cures cures = FindCures(explained, labels, slot, verdict, {SentBytesOf, ""});
//   cures.found[0].candidate.texts;   // "constrain y: P('a', None)"
//   cures.not_enough;                 // what was tried in vain
//
// The obvious cure is often wrong. So each candidate is propagated from the start, and counts only if
// the axis is there at the end. If at most one single edit works (as a rule a constraint on the tensor
// itself), pairs are tried: after an edit that was not enough, the new refusal gives the second edit.
// Cures are ordered by the number of edited annotations, then of other tensors that change, then by
// the bytes that devices send. On a target bytes are final, and come first.
//
// Cost: a run without a recorder for each candidate; for pairs eighteen more at most, and three
// with a recorder; what `sent_bytes` costs for each cure that is shown, and once more.
// Tested by explain_verb_test.cc.

#ifndef TESSERA_PIPELINE_EXPLAIN_CURES_CURES_H_
#define TESSERA_PIPELINE_EXPLAIN_CURES_CURES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/explain/cures/cure_candidates.h"
#include "tessera/pipeline/explain/cures/cure_trial.h"

namespace tessera::pipeline {

// How cures are priced.
struct SentBytes {
  // Bytes that each device sends in a step of the module with these options (edits among them); none
  // if that cannot be said. Null: they are not asked for.
  std::function<std::optional<int64_t>(const hlo::Module& module, const ShardOptions& options)> of;
  std::string target;  // whose final collectives send them; "": those of the partitioner
};

struct Cure {
  CureCandidate candidate;
  CureEffect effect;
  std::optional<int64_t> sent_added;  // bytes of each device beyond those of the module as it is
};

struct Cures {
  std::vector<Cure> found;              // five at most
  std::vector<std::string> not_enough;  // single edits that were tried in vain, some with a reason
  std::string target;                   // as of SentBytes
};

// Without `sent_bytes.of`, Cure::sent_added is none.
Cures FindCures(const Explained& explained, const Labels& labels, sharding::explain::SlotId slot,
                const sharding::explain::Verdict& verdict, const SentBytes& sent_bytes);

// "To get 'a' on dim 0 (each tried):" and what there is; "" if nothing was tried.
std::string CuresText(const sharding::explain::Verdict& verdict, const Cures& cures);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_CURES_CURES_H_
