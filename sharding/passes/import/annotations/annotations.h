// Shardings that the user gave, put into the slots of the program.
//
//   absl::Status status = ReadSdyAnnotations(&program, &frontend);
//   program.entry()->body->args[0]->sharding();     // what parameter 0 carries
//
// A sharding attribute on any other instruction is dropped, as in the reference.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATIONS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATIONS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Reads xla.sdy.meshes, then the shardings of parameters and ops, function by function, in program
// order. xla.sdy.FuncResultSharding calls are removed: the function's result gets their sharding. A
// call with other users becomes a constraint with the same axes and every dimension open.
absl::Status ReadSdyAnnotations(HloProgram* program, SdyAttributeReader* frontend);

// Instructions on which a sharding counts: send, recv, after-all with operands, Sharding calls,
// callbacks.
bool CarriesSharding(const hlo::Module& module, const Op& op);

// Gives each result its checked sharding from `list` (one for each result, or one for all). A
// sharding of a call without results belongs to the call. Shardings of send and recv belong to the
// results of send-done and recv-done.
absl::Status SetResultShardings(HloProgram* program, SdyAttributeReader* frontend, Op* op,
                                absl::Span<const ShardingId> list);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATIONS_H_
