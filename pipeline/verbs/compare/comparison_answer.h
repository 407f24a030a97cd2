// The answers of `diff STEP COMPILED --target` and `confirm`, as text and as JSON.

#ifndef TESSERA_PIPELINE_VERBS_COMPARE_COMPARISON_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_COMPARE_COMPARISON_ANSWER_H_

#include <string>

#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/compare/compiled_comparison.h"

namespace tessera::pipeline {

std::string ComparisonText(const CompiledComparison& comparison);
// A CompiledComparisonAnswer of compiled_comparison_answer.proto.
std::string ComparisonJson(const CompiledComparison& comparison);

// One of the two, by --json; a finding where they differ.
VerbResult ComparisonResult(const Arguments& arguments, const CompiledComparison& comparison);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COMPARE_COMPARISON_ANSWER_H_
