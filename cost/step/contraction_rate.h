// How fast a device does the arithmetic of a contraction.
//
//   // dot of f32, operand_precision={highest,highest}, on a TPU
//   FlopsPerSecond(module, id, machine.topology.device());      // a sixth of the peak of bf16
//
// By the type of the first operand and the precision that the contraction asks for: the higher one
// of operand_precision, or what `algorithm` names, with its passes. A device lists its peaks by
// type and precision (projection/cost/topology.proto); of those of the type the nearest precision
// that is not above counts. A type of up to 32 bits without a peak works at the first peak, that of
// what the units do. On a TPU that is f32 in one pass of bf16, three (high) or six (highest), as
// JAX's Precision has it.
//
// Tested by step_cost_test.cc.

#ifndef TESSERA_COST_STEP_CONTRACTION_RATE_H_
#define TESSERA_COST_STEP_CONTRACTION_RATE_H_

#include "tessera/hlo/module.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::cost {

// Of an instruction with hlo::IsContraction(). 0: the device has no peak for it.
double FlopsPerSecond(const hlo::Module& module, hlo::InstructionId contraction,
                      const projection::Device& device);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_CONTRACTION_RATE_H_
