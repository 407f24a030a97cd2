// Which opcodes work element by element.
//
//   IsElementwise(Opcode::kAdd);    // true

#ifndef TESSERA_HLO_ELEMENTWISE_H_
#define TESSERA_HLO_ELEMENTWISE_H_

#include "tessera/hlo/opcode.h"

namespace tessera::hlo {

// Cell by cell, on operands of the result's shape (clamp and select may have scalars); copy and
// convert included, map not. Neither is bitcast-convert, which may change the shape.
bool IsElementwise(Opcode opcode);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ELEMENTWISE_H_
