// all-gather-to-collective-permute-simplifier: where each device slices one part out of a gathered array, the part
// is sent.
//
//   g = f32[32] all-gather(x: f32[4]);  dynamic-slice(g, table[device]): f32[4]
//   ->  f32[4] collective-permute(x), from the device whose part it is to each device
//
// The slice is as large as what each device gave, and is cut along the gathered dimension. Also if each device takes
// its own part: where nothing else reads the all-gather, all-gather-dynamic-slice-simplifier was there before.
//
// Cost: devices times all-gathers. Tested by all_gather_to_collective_permute_simplifier_test.cc.

#ifndef TESSERA_TARGET_GPU_GATHERS_ALL_GATHER_TO_COLLECTIVE_PERMUTE_SIMPLIFIER_H_
#define TESSERA_TARGET_GPU_GATHERS_ALL_GATHER_TO_COLLECTIVE_PERMUTE_SIMPLIFIER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status ReplaceSlicedAllGathersByPermutes(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_GATHERS_ALL_GATHER_TO_COLLECTIVE_PERMUTE_SIMPLIFIER_H_
