// gather_simplifier: gathers with one dimension of indices and whole slices.
//
//   g = f32[4,16,64] gather(x: f32[1000,64], i: s32[4,16,1]), collapsed_slice_dims={0}, ..
//   ->  g = reshape(f32[64,1,64] gather(x, reshape(i): s32[64,1]), collapsed_slice_dims={}, ..)
//
// The slice keeps its dimensions of size 1, and stands behind the index. A reshape and, where dimensions of the slice stood
// in front of those of the indices, a transpose give the old result. With a reshape between, fusion computes a gather
// in the kernels that read it, though a product reads it, too.
//
// Cost: linear in the instructions. Tested by gather_simplifier_test.cc and recorded_passes_test.cc.

#ifndef TESSERA_TARGET_GPU_GATHERS_GATHER_SIMPLIFIER_H_
#define TESSERA_TARGET_GPU_GATHERS_GATHER_SIMPLIFIER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status SimplifyGathers(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_GATHERS_GATHER_SIMPLIFIER_H_
