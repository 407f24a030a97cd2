// The answers of the verb `layout`, for people and for programs.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_ANSWER_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/pipeline/verbs/layout/layout_request.h"

namespace tessera::pipeline {

// Lines of text: the sizes, or the sections that the flags name.
absl::StatusOr<std::string> LayoutAnswerText(const LayoutRequest& request);

// One JSON object and a newline; its form is layout_answer.proto. Sizes are always in it.
absl::StatusOr<std::string> LayoutAnswerJson(const LayoutRequest& request);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_ANSWER_H_
