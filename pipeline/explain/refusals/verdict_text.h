// Verdicts in words: which axis is not there, where it stands, what stopped it on the way.
//
//   VerdictTexts(explained, labels, verdicts)[0];
//   // 'a' is not on dim 0 (closed_dimension): it did not come from x dim 0 by s ..
//   //   s dim 0 is closed by constraint P(), model.py:50
//   //   the nearest way, 2 steps: x dim 0 | s dim 0 -> k dim 0 -> y dim 0
//
// Axes of a dimension that are missing for one reason are one text.

#ifndef TESSERA_PIPELINE_EXPLAIN_REFUSALS_VERDICT_TEXT_H_
#define TESSERA_PIPELINE_EXPLAIN_REFUSALS_VERDICT_TEXT_H_

#include <string>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

// "'a'", "'c':(2)2"
std::string AskedAxisText(const sharding::explain::AskedAxis& axis);

// Nobody asks for the axis, or it splits nothing: a line is enough, and no fix is looked for.
bool NeedsNoFix(const sharding::explain::Verdict& verdict);

// Of one dimension; some lines each.
std::vector<std::string> VerdictTexts(const Explained& explained, const Labels& labels,
                                      const std::vector<sharding::explain::Verdict>& verdicts);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSALS_VERDICT_TEXT_H_
