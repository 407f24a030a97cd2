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

// True if WithDefaultLayout() would not change the shape, dynamic sizes and tokens included.
bool HasDefaultLayout(const layout::Shape& shape);

// The shape with every array row-major: the layout of values from outside.
layout::Shape WithDefaultLayout(const layout::Shape& shape);

// True for opcodes with a rule of their own in InferLayout(); the layout of others follows FollowedOperand().
bool HasLayoutRule(hlo::Opcode opcode);

// The result shape of `opcode` for operands of these shapes, if it is not `shape` itself: permuted
// for a transpose, the operand's for an op that keeps its operand's dimensions. Broadcasts, always
// row-major, are not covered. `source` has the attributes and, in the module, `shape`. Tuples and
// arrays of dynamic size are unchanged.
std::optional<layout::Shape> InferLayout(const hlo::Module& module, hlo::InstructionId source,
                                         hlo::Opcode opcode, const layout::Shape& shape,
                                         absl::Span<const layout::Shape* const> operands);

// A quick look, without a list of operands: true only if InferLayout gives nothing. `followed` is
// the shape of operand FollowedOperand(opcode), null if there is none.
bool KeepsShape(hlo::Opcode opcode, const layout::Shape& shape, const layout::Shape* followed);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_RESULT_LAYOUTS_H_
