// Which instructions read float32 operands as bf16, and which hand on what they read.

#ifndef TESSERA_TARGET_TPU_BF16_READS_H_
#define TESSERA_TARGET_TPU_BF16_READS_H_

#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Dots and convolutions at default precision, and converts to bf16.
bool ReadsAsBf16(const DeviceProgram& program, InstructionId user);
// Whether the result is as precise as this operand: moves, choices, padding, and collectives that only exchange.
bool KeepsPrecision(const DeviceProgram& program, InstructionId user, InstructionId operand);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_BF16_READS_H_
