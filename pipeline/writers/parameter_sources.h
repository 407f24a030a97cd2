// Where the parameters of a written computation come from. Tested by writers_test.cc.

#ifndef TESSERA_PIPELINE_WRITERS_PARAMETER_SOURCES_H_
#define TESSERA_PIPELINE_WRITERS_PARAMETER_SOURCES_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// The parameter of the source that a parameter is, or is a leaf of; kNoId for one that the pass
// added. With the new places of its leaves.
struct ParameterSource {
  hlo::InstructionId id = hlo::kNoId;
  int leaf = 0;
  const sharding::passes::LeafMap* region = nullptr;  // of the one parameter of a region
  bool is_named = false;                              // what a region captures gives it no name
};

// By number. `before`: the module of the sources.
std::vector<ParameterSource> SourcesOfParameters(const hlo::Module& before,
                                                 const sharding::passes::HloComputation& c);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_PARAMETER_SOURCES_H_
