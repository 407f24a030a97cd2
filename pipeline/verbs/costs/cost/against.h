// A predicted step beside a measured profile, by line and by instruction.
//
//   const answers::CostAgainst against = CompareWithTrace(bill, trace);
//   against.by_line(0).predicted_s(), against.by_line(0).measured_s()   // of a step
//   against.factor()     // 1.3: by so much a kernel is wrong, weighted by measured time
//
// An instruction is known by its name, so the module is the one that ran. It runs as often in a step
// as it has events for each run of the program; how many runs there were, most instructions agree on.
// One run takes the median of its events, of a collective the shortest: the others wait for the last
// device. Tested by cost_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_AGAINST_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_AGAINST_H_

#include "tessera/cost/trace/trace.h"
#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"

namespace tessera::pipeline {

answers::CostAgainst CompareWithTrace(const CostBill& bill, const cost::Trace& trace);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_AGAINST_H_
