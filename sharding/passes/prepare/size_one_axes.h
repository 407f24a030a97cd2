// Axes of size 1 leave all shardings; meshes keep them.
//
//   mesh ["a"=1, "b"=2]:   [{"a", "b"}, {"a"}p1]   ->   [{"b"}, {}]

#ifndef TESSERA_SHARDING_PASSES_PREPARE_SIZE_ONE_AXES_H_
#define TESSERA_SHARDING_PASSES_PREPARE_SIZE_ONE_AXES_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// A closed dimension that becomes empty loses its priority.
void RemoveSizeOneAxes(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_SIZE_ONE_AXES_H_
