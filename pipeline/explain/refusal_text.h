// File: refusal_text.h
//
// Refusals and verdicts in words.
//
//   RefusalMessage(explained, labels, refusal);
//   // "'a' went to dim 1 in the same step: w dim 1, larger source (512 elements over 256)"
//   VerdictsText(explained, labels, verdicts);
//   // the same with the way there, a few lines for each axis; what is true of several is said once

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

// Nobody asks for the axis, or it splits nothing: a line is enough, and no cure is looked for.
bool NeedsNoCure(const sharding::explain::Verdict& verdict);

// Of one dimension.
std::string VerdictsText(const Explained& explained, const Labels& labels,
                         const std::vector<sharding::explain::Verdict>& verdicts);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSAL_TEXT_H_
