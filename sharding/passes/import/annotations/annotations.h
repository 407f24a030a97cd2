// Shardings that the user gave, put into the slots of the program.
//
//   absl::Status status = ReadSdyAnnotations(&program, &frontend);
//   program.entry()->body->args[0]->sharding();     // what parameter 0 carries
//
// What carries a sharding on any other instruction is dropped, as in the reference.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATIONS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATIONS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Reads xla.sdy.meshes, then, function by function, the shardings of parameters and ops, in order
// of the program. xla.sdy.FuncResultSharding calls go: what the function returns gets their
// sharding; one that has other users too becomes a constraint with the same axes and every
// dimension open.
absl::Status ReadSdyAnnotations(HloProgram* program, SdyAttributeReader* frontend);

// Instructions on which a sharding counts: send, recv, after-all with operands, Sharding calls,
// callbacks.
bool CarriesSharding(const hlo::Module& module, const Op& op);

// Gives each result its sharding from `list` (as many as there are results, or one for all of
// them), checked. One for a call without results is that of the call. What send and recv say is
// about the results of their ends: that of send-done, both of recv-done.
absl::Status SetResultShardings(HloProgram* program, SdyAttributeReader* frontend, Op* op,
                                absl::Span<const ShardingId> list);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_ANNOTATIONS_H_
