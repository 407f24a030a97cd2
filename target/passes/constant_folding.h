// constant_folding, as far as it does converts: a constant that is converted is one of the other type.
//
//   convert(constant: f32 0) to bf16      ->  constant: bf16 0
//
// Only where every element keeps its value; of integers, only 0 does here. XLA's convert-mover leaves converts of
// constants after it. On GPUs they stay until convolutions are rewritten, so a pad with one is not looked through by
// all-reduce-reassociate.
//
// Cost: linear in the program. Tested by constant_folding_test.cc.

#ifndef TESSERA_TARGET_PASSES_CONSTANT_FOLDING_H_
#define TESSERA_TARGET_PASSES_CONSTANT_FOLDING_H_

#include "absl/status/status.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/pass.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Each element of the constant is one of the other type.
bool KeepsElements(const DeviceProgram& program, InstructionId constant, layout::ElementType type);

absl::Status FoldConverts(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_CONSTANT_FOLDING_H_
