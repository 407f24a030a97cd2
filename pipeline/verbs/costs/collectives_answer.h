// The answer of `tessera collectives`, as text and as JSON.
//
//   CollectivesText(bill, {});             // a line for each
//   CollectivesText(bill, {"axis"});       // sums
//   CollectivesText(bill, {"", true, 0, &machine});     // with formulas and times
//   CollectivesJson(bill, {"axis"});       // collectives_answer.proto
//   CollectiveText(line);        // one line, with a newline; a second one for each of its arrays
//   FillCollective(line, &entry);  // its answers::Collective

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_ANSWER_H_

#include <cstdint>
#include <string>

#include "tessera/cost/network/machine.h"
#include "tessera/pipeline/schema/collectives_answer.pb.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/comm_bill.h"

namespace tessera::pipeline {

struct CollectivesForm {
  std::string by;                          // axis, line, op: sums; else empty
  bool formulas = false;                   // how the bytes, and the time on the machine, come about
  int64_t top = 0;                         // the first entries of the list alone; 0: all
  const cost::Machine* machine = nullptr;  // that the bill was made with
};

std::string CollectivesText(const Bill& bill, const CollectivesForm& form);
std::string CollectivesJson(const Bill& bill, const CollectivesForm& form);

std::string CollectiveText(const CollectiveLine& line);
void FillCollective(const CollectiveLine& line, answers::Collective* entry);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_ANSWER_H_
