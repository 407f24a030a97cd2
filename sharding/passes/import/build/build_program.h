// HLO computations as blocks of ops: the first step of the import.
//
//   HloProgram program(&module);
//   absl::Status status = BuildProgram(&program);
//
// Afterwards the program has one function for the entry and one for every computation that a `call`
// names, in order of the module. In them
//   * tuples are gone: an op has one result for each leaf of its instruction's shape; tuple and
//     get-tuple-element are no ops, who reads them reads the leaves;
//   * loops and conditionals have blocks; the parameter of a branch is not there, the branch reads
//     the outer values;
//   * computations of reduce, sort, fusion and the like are not there: nothing ever moves in them;
//   * `convert` to PRED compares with a zero of its own, a broadcast with unsorted dimensions is a
//     transpose and a sorted broadcast, an rng-bit-generator has two results, the narrower operand
//     of a mixed convolution is converted.
// Marker calls (Sharding, xla.sdy.*) are still ordinary ops.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_BUILD_BUILD_PROGRAM_H_
#define TESSERA_SHARDING_PASSES_IMPORT_BUILD_BUILD_PROGRAM_H_

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// InvalidArgument (text::ErrorAt) for instructions that the reference refuses.
absl::Status BuildProgram(HloProgram* program);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_BUILD_BUILD_PROGRAM_H_
