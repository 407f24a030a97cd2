// The answers of other verbs on the page of `tessera report`: findings, and with --target the time of
// a step and the memory.
//
//   WithAnswers(ReportJson(data), arguments);     // {.., "lint":{..},"cost":{..}}: report_answer.proto
//
// An error of a verb becomes the member that says why its answer is absent. Tested by
// pipeline/report/report_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_REPORT_ANSWERS_H_
#define TESSERA_PIPELINE_VERBS_REPORT_ANSWERS_H_

#include <string>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// `json`: an object. `arguments`: those of `report`, in a session that keeps the module.
std::string WithAnswers(std::string json, const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_REPORT_ANSWERS_H_
