// The body of a kernel from a fusion, with the fusions inside of it.
//
//   Body body = BodyOfFusion(module, fusion);
//   DeviceKernel kernel = KernelOf(module, body);

#ifndef TESSERA_TARGET_KERNELS_FUSED_H_
#define TESSERA_TARGET_KERNELS_FUSED_H_

#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/target/kernels/body.h"

namespace tessera::target {

// The fast memory of a chip, as layouts number it.
bool IsInFastMemory(const layout::Shape& array);

// Bitcasts are the array that they are of. Cost: linear in the instructions inside, those of a
// computation that is called twice counted twice (hlo/call_limits.h).
Body BodyOfFusion(const hlo::Module& module, hlo::InstructionId fusion);
// Of an instruction that is not fused.
Body BodyOfOne(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_FUSED_H_
