// Refusals in words: a sentence for each kind.
//
//   RefusalMessage(explained, labels, refusal);
//   // "y dim 1 got 'a' from w dim 1 in the same step, and was taken first: larger source (512 ..)"
//
// The kinds are the words of the JSON and stay; the sentences may improve. They use the words of
// refusal_words.h. Tested by explain_verb_test.cc and by examples/incidents.

#ifndef TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_TEXT_H_
#define TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_TEXT_H_

#include <string>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"

namespace tessera::pipeline {

// A sentence without a stop: why, with an op, a tensor or a place.
std::string RefusalMessage(const Explained& explained, const Labels& labels,
                           const sharding::explain::Refusal& refusal);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_TEXT_H_
