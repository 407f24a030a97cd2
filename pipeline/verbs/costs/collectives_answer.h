// The answer of `tessera collectives`, as text and as JSON.
//
//   CollectivesText(bill, "");          // a line for each
//   CollectivesText(bill, "axis");      // sums
//   CollectivesJson(bill, "axis");      // collectives_answer.proto

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_ANSWER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/verbs/costs/comm_bill.h"

namespace tessera::pipeline {

// `by`: axis, line, op, or empty.
std::string CollectivesText(const Bill& bill, absl::string_view by);
std::string CollectivesJson(const Bill& bill, absl::string_view by);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_ANSWER_H_
