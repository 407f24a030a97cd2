// batched_gather_scatter_normalizer: gathers and scatters have no batching dimensions.
//
//   g = f32[8,1] gather(x: f32[8,16], i: s32[8,1,1]), operand_batching_dims={0}, index_vector_dim=2, ..
//   ->  g = f32[8,1] gather(x, concatenate(iota over dimension 0, i) of s32[8,1,2]), start_index_map={0,1}, ..
//
// The place in a batching dimension is one more number of each index.
//
// Cost: linear in the instructions. Tested by recorded_passes_test.cc.

#ifndef TESSERA_TARGET_GPU_BATCHED_GATHER_SCATTER_NORMALIZER_H_
#define TESSERA_TARGET_GPU_BATCHED_GATHER_SCATTER_NORMALIZER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status NormalizeBatchedGathersAndScatters(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_BATCHED_GATHER_SCATTER_NORMALIZER_H_
