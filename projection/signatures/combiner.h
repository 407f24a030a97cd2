// The effect of a reduction's computation on cells.
#ifndef TESSERA_PROJECTION_SIGNATURES_COMBINER_H_
#define TESSERA_PROJECTION_SIGNATURES_COMBINER_H_

#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::projection {

// The opcode of a combiner that is one operation on its two parameters: add for `{x, y -> add(x,
// y)}`. None for others.
std::optional<hlo::Opcode> BinaryCombiner(const hlo::Module& module,
                                          hlo::ComputationId computation);

// The contributions to a result of this instruction may be grouped and ordered freely (up to
// rounding). Its combiner is add, multiply, maximum, minimum, and, or, xor; or a tuple of those. It
// may also be a comparison of values that falls back on their positions when they are equal.
bool IsReassociable(const hlo::Module& module, hlo::InstructionId id);

// The computation that the instruction applies works cell by cell, so that dimensions it sees stay
// apart.
bool IsCellwise(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_COMBINER_H_
