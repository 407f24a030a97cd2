// How many blocks of how many threads a kernel has, as XLA's emitters for GPUs choose them.
//
//   LaunchOf(result, nullptr, 32);    // a loop over f32[65536]: 512 blocks of 128 threads
//   LaunchOf(result, reduce, 32);     // f32[2048] reduce(f32[256,2048]), dimensions={0}: 32 of 1024
//
// A loop has an element a thread, or four where there are enough. A transpose by tiles has a block a
// tile. A row is reduced by one block, or
// by a part of one if it is short. A block of columns reduces 32 of them, or two or four times as many.
// Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_MODEL_LAUNCH_H_
#define TESSERA_TARGET_PRIORITY_FUSION_MODEL_LAUNCH_H_

#include "tessera/target/priority_fusion/model/op_facts.h"

namespace tessera::target {

struct Launch {
  double blocks = 1, threads = 1;
};

// `tiled`: the reduction or transpose by tiles that decides, or nullptr. `bits`: those of the narrowest
// element that the kernel reads.
Launch LaunchOf(const OpFacts& result, const OpFacts* tiled, int bits);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_MODEL_LAUNCH_H_
