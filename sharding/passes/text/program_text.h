// A program as text, for tests and for reading.
//
//   entry main(%x [{"a"}, {}], %w) {
//     %h = dot(%x, %w)
//     %r = while(%h)
//     block 0(%arg0) {             blocks in order, with their arguments
//       ..
//     }
//     %e [{"a"}, {?}] = edge(%r)   what stands after a value is its sharding, if it has one
//     %y = call(%e, f)             after the operands: callee, manual axes, group, direction
//     return(%y) -> [{?}, {?}]     result shardings of the function
//   }
//
// The same with meshes, shapes and the attributes of instructions: all that a pass needs to start
// from it:
//
//   mesh <["a"=2]>
//   entry main(%x f32[8,4] [{"a"}, {}]) {
//     %h f32[4,8] = transpose(%x) {dimensions={1,0}}
//     return(%h) -> none
//   }
//
// Values have the name of their instruction, with `#k` for one of several results; `'` marks a copy, `'2`
// the second one, and so on. Other ops are named after what they are. testing/program_text reads both texts.

#ifndef TESSERA_SHARDING_PASSES_TEXT_PROGRAM_TEXT_H_
#define TESSERA_SHARDING_PASSES_TEXT_PROGRAM_TEXT_H_

#include <string>

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// The first form, and the second.
std::string ProgramOutline(const HloProgram& program);
std::string ProgramToString(const HloProgram& program);
// The second, for reading: a literal of more than 64 letters is {...}.
std::string ProgramDump(const HloProgram& program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_TEXT_PROGRAM_TEXT_H_
