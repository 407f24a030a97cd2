// Names of arrays, as `tessera shardings` lists them.
//
//   ArrayNames(module).Of({loop, 1});      // "while.3{1}"; "dot.7" for the only array of an instruction
//   TensorNames(input).Of(element);        // "while.3{1}" for get-tuple-element(while.3), index=1
//
// Cost: as of TensorFinder. Tested by collectives_verb_test.cc and device_arrays_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_ARRAY_NAMES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_ARRAY_NAMES_H_

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/input/tensor_finder.h"

namespace tessera::pipeline {

class ArrayNames {
 public:
  // `module` must outlive this, and stay as it is.
  explicit ArrayNames(const hlo::Module& module) : module_(module) {}
  std::string Of(ArrayPlace place);

 private:
  const hlo::Module& module_;
  layout::LeafNumbers numbers_;
};

class TensorNames {
 public:
  // `input` must outlive this.
  explicit TensorNames(const PartitionerInput& input)
      : input_(input), finder_(input), names_(NamingModule(input)) {}

  // Of an instruction of `input.module`. What propagation inserted keeps its own name.
  std::string Of(hlo::InstructionId id);

 private:
  const PartitionerInput& input_;
  TensorFinder finder_;
  ArrayNames names_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_ARRAY_NAMES_H_
