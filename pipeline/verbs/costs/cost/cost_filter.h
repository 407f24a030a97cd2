// Which kernels and collectives of a step `cost` lists: --match, --axis, --min-bytes and --top. These
// have a sum of their own (CostChosen); all others are those of the whole step.
//
//   TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
//   Keep(filter, arguments.Has("top"), &bill);
//
// Tested by cost_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_COST_FILTER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_COST_FILTER_H_

#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"

namespace tessera::pipeline {

// A kernel runs along no axis; its bytes are those that it reads and writes, in all runs.
// cuts: only as many of each list as --top says, the longest first.
void Keep(const ListFilter& filter, bool cuts, CostBill* bill);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_COST_FILTER_H_
