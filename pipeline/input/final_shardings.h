// Whether a module has been through propagation, by the look of it.
//
//   HasFinalShardings(module)     // add.3 = f32[8] add(..), sharding={devices=[2]<=[2]}
//
// It has where an instruction has a sharding and nothing is left for propagation to take away. What
// a dump in front of the pass has says nothing: shardings of parameters, constants, tuples, calls,
// and of results in a layout of their own (a reshape). Tested by collectives_verb_test.cc.

#ifndef TESSERA_PIPELINE_INPUT_FINAL_SHARDINGS_H_
#define TESSERA_PIPELINE_INPUT_FINAL_SHARDINGS_H_

#include "tessera/hlo/module.h"

namespace tessera::pipeline {

bool HasFinalShardings(const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_FINAL_SHARDINGS_H_
