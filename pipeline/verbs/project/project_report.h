// The answer of `tessera project` as text, as JSON (project_answer.proto) and as pictures.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REPORT_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REPORT_H_

#include <string>

#include "tessera/pipeline/verbs/project/project_request.h"

namespace tessera::pipeline {

// With `draw` each block and what it reads in characters; of a cut, who reads what.
std::string AsText(const ProjectAnswer& answer, bool draw);
std::string AsJson(const ProjectAnswer& answer);
// A page: operands, index and result; of a cut, in the colours of the parts, and the stages of a
// cut reduction.
std::string AsSvg(const ProjectAnswer& answer);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REPORT_H_
