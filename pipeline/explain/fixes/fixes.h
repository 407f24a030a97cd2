// Fixes: the smallest edits of annotations that bring an axis to where it is not, each tried.
//
//   const Fixes fixes = FindFixes(explained, labels, slot, verdict, {SentBytesOf, ""});
//   fixes.found[0].candidate.texts;   // "constrain y: P('a', None)"
//   fixes.not_enough;                 // what was tried in vain
//
// The obvious fix is often wrong. So each candidate is propagated from the start, and counts only if
// the axis is there at the end. If at most one single edit works (as a rule a constraint on the tensor
// itself), pairs are tried: after an edit that was not enough, the new refusal gives the second edit.
// Fixes are ordered by the number of edited annotations, then of other tensors that change, then by
// the bytes that devices send. On a target bytes are final, and come first.
//
// Cost: a run without a recorder for each candidate; for pairs eighteen more at most, and three
// with a recorder; what `sent_bytes` costs for each fix that is shown, and once more.
// Tested by explain_verb_test.cc.

#ifndef TESSERA_PIPELINE_EXPLAIN_FIXES_FIXES_H_
#define TESSERA_PIPELINE_EXPLAIN_FIXES_FIXES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/explain/fixes/fix_candidates.h"
#include "tessera/pipeline/explain/fixes/fix_trial.h"

namespace tessera::pipeline {

// How fixes are priced.
struct SentBytes {
  // Bytes that each device sends in a step of the module with these options (edits among them); none
  // if that cannot be said. Null: they are not asked for.
  std::function<std::optional<int64_t>(const hlo::Module& module, const ShardOptions& options)> of;
  std::string target;  // whose final collectives send them; "": those of the partitioner
};

struct Fix {
  FixCandidate candidate;
  FixEffect effect;
  std::optional<int64_t> sent_added;  // bytes of each device beyond those of the module as it is
};

struct Fixes {
  std::vector<Fix> found;               // five at most
  std::vector<std::string> not_enough;  // single edits that were tried in vain, some with a reason
  std::string target;                   // as of SentBytes
};

// Without `sent_bytes.of`, Fix::sent_added is none.
Fixes FindFixes(const Explained& explained, const Labels& labels, sharding::explain::SlotId slot,
                const sharding::explain::Verdict& verdict, const SentBytes& sent_bytes);

// "To get 'a' on dim 0 (each tried):" and what there is; "" if nothing was tried.
std::string FixesText(const sharding::explain::Verdict& verdict, const Fixes& fixes);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIXES_FIXES_H_
