// Reductions and transposes whose kernels XLA makes by tiles, and not as one loop over the result.
//
//   f32[64] reduce(f32[64,4096]), dimensions={1}               rows: by tiles
//   f32[8] reduce(f32[16,8]), dimensions={0}                   short columns: a loop
//   f32[64,32] transpose(f32[32,64]), dimensions={1,0}         by tiles
//   f32[4,64,8] transpose(f32[64,4,8]), dimensions={1,0,2}     the most minor dimension stays: a loop
//
// Dimensions that stay next to one another count as one; those of size 1 as none. Cost: linear in the
// dimensions. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_MODEL_TILED_OPS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_MODEL_TILED_OPS_H_

#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// `reduced`: elements of what is reduced.
void AddReduction(const DeviceProgram& program, InstructionId id, double reduced, OpFacts* facts);

void AddTranspose(const DeviceProgram& program, InstructionId id, OpFacts* facts);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_MODEL_TILED_OPS_H_
