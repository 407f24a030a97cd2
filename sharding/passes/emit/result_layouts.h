// The layouts that the results of the pass have: those that XLA's builder infers from the operands.
//
//   std::optional<Shape> made = InferLayout(module, id, Opcode::kNegate, shape, {&operand});
//   // of f32[2,3]{0,1}: {0,1}
//
// Only layouts differ between the answer and `shape`. Internal to the package.

#ifndef TESSERA_SHARDING_PASSES_EMIT_RESULT_LAYOUTS_H_
#define TESSERA_SHARDING_PASSES_EMIT_RESULT_LAYOUTS_H_

#include <optional>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::sharding::passes {

// True of what WithDefaultLayout() leaves as it is, dynamic sizes and tokens among it.
bool HasDefaultLayout(const layout::Shape& shape);

// The shape with every array laid out row-major: what a value has that comes from outside.
layout::Shape WithDefaultLayout(const layout::Shape& shape);

// The shape of what `opcode` makes of operands of these shapes, where that is not `shape` itself:
// permuted for a transpose, the operand's for an op that keeps its operand's dimensions. A
// broadcast is always row-major; this does not say so. `source` has the attributes and, in the
// module, `shape`. A tuple stays a tuple; arrays of dynamic size stay as they are.
std::optional<layout::Shape> InferLayout(const hlo::Module& module, hlo::InstructionId source,
                                         hlo::Opcode opcode, const layout::Shape& shape,
                                         absl::Span<const layout::Shape* const> operands);

// A quick look, without a list of operands: true only if InferLayout gives nothing. `followed` is
// the shape of operand FollowedOperand(opcode), null if there is none.
bool KeepsShape(hlo::Opcode opcode, const layout::Shape& shape, const layout::Shape* followed);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_RESULT_LAYOUTS_H_
