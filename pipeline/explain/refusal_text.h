// File: refusal_text.h
//
// Refusals and verdicts in words.
//
//   RefusalMessage(explained, labels, refusal);
//   // "'a' went to dim 1 in the same step: w dim 1, larger source (512 elements over 256)"
//   VerdictText(explained, labels, verdict);       // the same with the way there, a few lines
//   SharedVerdictText(explained, labels, verdicts) // one line for all axes that nobody asks for

#ifndef TESSERA_PIPELINE_EXPLAIN_REFUSAL_TEXT_H_
#define TESSERA_PIPELINE_EXPLAIN_REFUSAL_TEXT_H_

#include <string>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

// A sentence without a stop: why, with an op, a tensor or a place.
std::string RefusalMessage(const Explained& explained, const Labels& labels,
                           const sharding::explain::Refusal& refusal);

// "'a'", "'c':(2)2"
std::string AskedAxisText(const sharding::explain::AskedAxis& axis);

// Verdicts that say the same of several axes share a line: nobody asks for them.
bool SharesLine(const sharding::explain::Verdict& verdict);

std::string VerdictText(const Explained& explained, const Labels& labels,
                        const sharding::explain::Verdict& verdict);
// Of verdicts that share a line; "" for none.
std::string SharedVerdictText(const std::vector<sharding::explain::Verdict>& verdicts);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSAL_TEXT_H_
