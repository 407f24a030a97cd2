// Clean-up of the program, repeated until nothing changes.
//
//   * pure ops that nobody uses go;
//   * a reshape to the very shape of its operand goes;
//   * an element of a loop that never changes leaves the loop: its uses inside and after read the
//     outer value instead (a capture);
//   * a manual computation drops arguments that its body does not use; without any argument, result
//     and op it goes; over axes that are all of size 1 it is inlined.
//
//   while (x, y) { yield(x + y, y) }   ->   while (x) { yield(x + outer_y) }
//
// An element never changes when the body yields its own argument, or the very value that the loop
// starts with. What leaves an inner loop can make an element of the outer one constant.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_CANONICALIZE_H_
#define TESSERA_SHARDING_PASSES_IMPORT_CANONICALIZE_H_

#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

void Canonicalize(HloProgram* program);

// Removes functions that the entry does not reach.
void RemoveUnusedFunctions(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_CANONICALIZE_H_
