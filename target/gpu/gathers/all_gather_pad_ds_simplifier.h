// all-gather-pad-ds-simplifier: a gathered array that is padded with zeros and cut is sent to the one device of
// each group whose part has it.
//
//   g = f32[8] all-gather(x: f32[2]);  p = f32[96] pad(g, 0), padding=0_88;  f32[24] dynamic-slice(p, device * 24)
//   ->  select(first device of a group, f32[24] concatenate(x, permute(x), permute(x), permute(x), zeros), zeros)
//
// Zeros stand on one side only. The part of one device of each group has all that is gathered, in the order of
// the group, and the parts go up with the numbers of the devices. There is a permute for each other device of
// the group, from it to that one; those of all groups are one.
//
// Cost: devices times all-gathers. Tested by recorded_passes_test.cc.

#ifndef TESSERA_TARGET_GPU_GATHERS_ALL_GATHER_PAD_DS_SIMPLIFIER_H_
#define TESSERA_TARGET_GPU_GATHERS_ALL_GATHER_PAD_DS_SIMPLIFIER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status SimplifyPaddedAllGathers(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_GATHERS_ALL_GATHER_PAD_DS_SIMPLIFIER_H_
