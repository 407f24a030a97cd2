// A predicted step beside what a profile measured, by line and by instruction.
//
//   const Against against = CompareWithTrace(bill, trace);
//   against.by_line[0].predicted_s, against.by_line[0].measured_s      // of a step
//   against.factor       // 1.3: by so much a kernel is wrong, weighted by measured time
//
// An instruction is known by its name, so the module is the one that ran. It runs as often in a step
// as it has events for each run of the program; how many runs there were, most instructions agree on.
// One run takes the median of its events, of a collective the shortest: the others wait for the last
// device. Tested by cost_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_AGAINST_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_AGAINST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/cost/trace/trace.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"

namespace tessera::pipeline {

struct MeasuredPart {
  std::string name;   // of the line, or of the instruction
  int64_t count = 0;  // kernels and collectives in the text of the program
  double predicted_s = 0, measured_s = 0;
};

struct Against {
  std::vector<MeasuredPart> by_line, each;  // the longest measured first
  double predicted_s = 0, measured_s = 0;   // of what was measured
  double factor = 1;                        // exp(mean of |log(predicted / measured)|)
  double runs = 0;                          // of the program, on all devices together
  int64_t not_measured = 0;                 // kernels and collectives without events
  double not_measured_s = 0;                // predicted
};

Against CompareWithTrace(const CostBill& bill, const cost::Trace& trace);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_AGAINST_H_
