// Whether an instruction reads its float32 operands as bf16: dots and convolutions at default precision, and converts
// to bf16.

#ifndef TESSERA_TARGET_TPU_BF16_READS_H_
#define TESSERA_TARGET_TPU_BF16_READS_H_

#include "tessera/target/program/device_program.h"

namespace tessera::target {

bool ReadsAsBf16(const DeviceProgram& program, InstructionId user);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_BF16_READS_H_
