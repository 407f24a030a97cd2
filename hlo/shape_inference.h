// The result shape that follows from the operands and attributes of an instruction.
//
//   absl::StatusOr<layout::Shape> shape = InferResultShape(module, id);
//
// Layouts are those that XLA's parser gives to an instruction without a written shape.

#ifndef TESSERA_HLO_SHAPE_INFERENCE_H_
#define TESSERA_HLO_SHAPE_INFERENCE_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

// InvalidArgument with the reason when the operands do not fit, Unimplemented for opcodes whose
// shape does not follow from them (parameter, constant, custom-call, ..).
absl::StatusOr<layout::Shape> InferResultShape(const Module& module, InstructionId id);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SHAPE_INFERENCE_H_
