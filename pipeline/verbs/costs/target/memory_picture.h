// Memory over a step as a picture for a terminal.
//
//   MemoryPicture(curve)
//
//     9.2 GiB |            ##
//             |        ######
//             |   ############
//     2.1 GiB |###############
//              ----~~~~--~~~~-     ~ loops
//
// Each column is as many kernels as the others; a loop counts once with what is in it. Tested by
// memory_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_MEMORY_PICTURE_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_MEMORY_PICTURE_H_

#include <string>
#include <vector>

#include "tessera/cost/memory/target_memory.h"

namespace tessera::pipeline {

// Empty for a curve of less than two points.
std::string MemoryPicture(const std::vector<cost::MemoryPoint>& curve);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_MEMORY_PICTURE_H_
