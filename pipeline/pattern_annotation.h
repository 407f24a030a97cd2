// A sharding for all instructions that a pattern matches, as the user gives it.
//
//   PatternAnnotation annotation = *ParseAnnotation("w.*=P(None, 'model')");
//   auto found = FindAnnotated(module, {annotation});    // the parameters w1 and w2

#ifndef TESSERA_PIPELINE_PATTERN_ANNOTATION_H_
#define TESSERA_PIPELINE_PATTERN_ANNOTATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/sharding/pspec.h"

namespace tessera::pipeline {

// The pattern is looked for in names and op_names; the op_name of a parameter is the path of the
// argument.
struct PatternAnnotation {
  std::string pattern;  // RE2, anywhere in the text
  sharding::PartitionSpec spec;
};

// REGEX=P(..), as in "w1=P(None, 'model')": split at the last `=P(`.
absl::StatusOr<PatternAnnotation> ParseAnnotation(absl::string_view text);

// The instructions of each pattern: the parameters of the entry that match, or, where none does,
// all other instructions that match. Of several annotations of one instruction the last counts. A
// pattern without a match is an error; all are reported.
absl::StatusOr<std::vector<sharding::passes::UserAnnotation>> FindAnnotated(
    const hlo::Module& module, const std::vector<PatternAnnotation>& annotations);

// The same in two steps: what each annotation is about, in their order, and what is said in all.
using MatchesByAnnotation = std::vector<std::vector<hlo::InstructionId>>;
absl::StatusOr<MatchesByAnnotation> FindMatches(const hlo::Module& module,
                                                const std::vector<PatternAnnotation>& annotations);
std::vector<sharding::passes::UserAnnotation> AnnotatedBy(
    const std::vector<PatternAnnotation>& annotations, const MatchesByAnnotation& matches);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_PATTERN_ANNOTATION_H_
