// Groups of opcodes that several rules, the costs and the evaluator speak of.
//
//   IsElementwise(hlo::Opcode::kAdd)          // true
//   IsTranscendental(hlo::Opcode::kTanh)      // true: priced apart from flops
#ifndef TESSERA_PROJECTION_SIGNATURES_OPCODE_SETS_H_
#define TESSERA_PROJECTION_SIGNATURES_OPCODE_SETS_H_

#include "tessera/hlo/elementwise.h"
#include "tessera/hlo/opcode.h"

namespace tessera::projection {

using hlo::IsElementwise;

// Element-wise, and computed by a series or a table: exponential, logarithm, roots, powers,
// trigonometry.
bool IsTranscendental(hlo::Opcode opcode);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_OPCODE_SETS_H_
