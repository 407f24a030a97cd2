// Tuples while the program is being built: made where HLO has them, taken apart where an op needs
// leaves, and resolved when the block is complete.
//
//   Value* t = MakeTuple(program, block, shape, {x, y});   // one kTuple op (nested ones first)
//   ValueList leaves;
//   TakeApart(program, block, t, &leaves);       // fresh kGetElement ops
//   ResolveTuples(program, block);               // uses of the elements become uses of x, y

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_TUPLES_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_TUPLES_H_

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Of one instruction: most have few.
using ValueList = absl::InlinedVector<Value*, 4>;

// A value of `shape`, which may be no tuple, made of `leaves` (in order; as many as the shape has).
Value* MakeTuple(HloProgram* program, Block* block, const layout::Shape* shape,
                 absl::Span<Value* const> leaves);

// An element of a tuple, read at the end of the block.
Value* ReadElement(HloProgram* program, Block* block, Value* tuple, int64_t index,
                   hlo::InstructionId source = hlo::kNoId);

// Appends all leaves of `value` (itself if it is no tuple).
void TakeApart(HloProgram* program, Block* block, Value* value, ValueList* leaves);

// Replaces reads of tuples that are made in the same block by the elements, then drops the tuples
// that nobody uses. Blocks inside are not entered: theirs are resolved when they are complete.
void ResolveTuples(HloProgram* program, Block* block);

// The addresses of all leaves of a shape.
absl::InlinedVector<const layout::Shape*, 2> LeafShapes(const layout::Shape& shape);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_TUPLES_H_
