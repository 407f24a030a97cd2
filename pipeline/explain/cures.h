// File: cures.h
//
// Cures: the smallest edits of annotations that bring an axis to where it is not, each tried.
//
//   const Cures cures = FindCures(explained, labels, slot, verdict);
//   cures.found[0].candidate.texts;   // "constrain y: P('a', None)"
//   cures.not_enough;                 // what was tried in vain
//
// The obvious cure is often wrong, so each candidate is propagated from the start, and only those
// behind which the axis is there in the end are cures; those that edit fewer annotations first,
// then those that change fewer other tensors.
//
// Cost: a run without a recorder for each candidate.
// Tested by explain_verb_test.cc.

#ifndef TESSERA_PIPELINE_EXPLAIN_CURES_H_
#define TESSERA_PIPELINE_EXPLAIN_CURES_H_

#include <string>
#include <vector>

#include "tessera/pipeline/explain/cure_candidates.h"

namespace tessera::pipeline {

struct Cure {
  CureCandidate candidate;
  int tensors_changed = 0;  // others, that end with another sharding
};

struct Cures {
  std::vector<Cure> found;              // three at most
  std::vector<std::string> not_enough;  // texts of the other candidates
};

Cures FindCures(const Explained& explained, const Labels& labels,
                sharding::explain::SlotId slot, const sharding::explain::Verdict& verdict);

// "To get 'a' on dim 0 (each tried):" and what there is; "" if nothing was tried.
std::string CuresText(const sharding::explain::Verdict& verdict, const Cures& cures);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_CURES_H_
