// The answer of `tessera explain` as data, and its two forms.
//
//   const Explanation explanation = Explain(explained, slot, {});
//   ExplanationText(explained, explanation, {});
//   ExplanationJson(explained, explanation);
//
// For each dimension the axes that it has, with the way that they came, then those that it does not
// have, with what refused them.

#ifndef TESSERA_PIPELINE_EXPLAIN_EXPLANATION_H_
#define TESSERA_PIPELINE_EXPLAIN_EXPLANATION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/fixes/fixes.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/schema/report_answer.pb.h"
#include "tessera/sharding/explain/chain.h"

namespace tessera::pipeline {

struct AxisAnswer {
  sharding::AxisRef axis;
  std::vector<sharding::explain::Chain> chains;    // one for each part of the axis
  int32_t taken_by = sharding::explain::kNoIndex;  // the event that took it away in the end
};

struct DimensionAnswer {
  int dim = 0;
  std::vector<AxisAnswer> axes;
  std::vector<sharding::explain::Verdict> absent;
  std::vector<Fixes> fixes;  // one for each of these; none where none was looked for
};

struct Explanation {
  sharding::explain::SlotId slot = sharding::explain::kNoIndex;
  std::string axis;  // of the question; empty: all axes
  std::vector<DimensionAnswer> dims;
};

struct Question {
  std::optional<int> dim;  // none: all of them
  std::string axis;        // empty: all of them
  bool why_not = true;     // also why axes are not there, which takes a search for each dimension
  SentBytes sent_bytes;    // what fixes cost
};

// InvalidArgument for an axis that no mesh of the module has. Fixes are tried if the question names
// a dimension or an axis; for axes that nobody asks for, or that nothing leads to, if it names
// them.
absl::StatusOr<Explanation> Explain(const Explained& explained, sharding::explain::SlotId slot,
                                    const Question& question);

// The same for questions about many tensors.
absl::StatusOr<Explanation> Explain(const Explained& explained, const Labels& labels,
                                    sharding::explain::SlotId slot, const Question& question);

struct TextStyle {
  bool forward = false;  // from the annotation to the tensor
  bool all = false;      // every step, folded ones too
  size_t most_rows = 0;  // of a chain, which else loses its middle; 0: all of them
};
std::string ExplanationText(const Explained& explained, const Explanation& explanation,
                            const TextStyle& style);
std::string ExplanationText(const Explained& explained, const Labels& labels,
                            const Explanation& explanation, const TextStyle& style);
// The same lines as data, without the first, which is the tensor itself.
void FillExplanation(const Explained& explained, const Labels& labels,
                     const Explanation& explanation, const TextStyle& style,
                     answers::ReportExplanation* to);
// A message Explanation of pipeline/schema/explain_answer.proto.
std::string ExplanationJson(const Explained& explained, const Explanation& explanation,
                            SourceLines* source_lines = nullptr);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_EXPLANATION_H_
