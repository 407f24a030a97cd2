// The results of the entry, where propagation adds the instruction that returns them. FILE does not have it, so it
// goes by the name that `shardings` prints.
//
//   IsAddedResult(input, c.cause);              // a tuple that the pass adds, and returns
//   NameOfResult(input, c.cause, c.producer);   // "result{1}": its second element is what `c.producer` makes
//   SourceOfResult(input, c.producer);          // an added tuple of one array: the instruction that makes the array
//
// Tested by collectives_verb_test.cc and reshards_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_ADDED_RESULTS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_ADDED_RESULTS_H_

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

bool IsAddedResult(const PartitionerInput& input, hlo::InstructionId id);

// "result" where it is the only one, or nobody knows which.
std::string NameOfResult(const PartitionerInput& input, hlo::InstructionId result,
                         hlo::InstructionId value);

hlo::InstructionId SourceOfResult(const PartitionerInput& input, hlo::InstructionId id);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_ADDED_RESULTS_H_
