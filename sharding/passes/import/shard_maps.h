// shard_map in HLO is a call between two custom calls:
//
//   g = custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape"   in_shardings, manual_axes
//   c = call(g), to_apply=xla.sdy.manual_computation_body
//   r = custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape"   out_shardings
//
// or, where shardings name axes,
//
//   s = custom-call(x), custom_call_target="Sharding"                     sharding: the in-sharding
//   g = custom-call(s), custom_call_target="xla.sdy.GlobalToLocalShape"
//   c = call(g), to_apply=xla.sdy.manual_computation_body                 sharding: its manual axes
//   r = custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape"   sharding: out-sharding
//
// In the program it is one kManualComputation op with x as operand, r as result, and the body as
// its block.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_SHARD_MAPS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_SHARD_MAPS_H_

#include "absl/status/status.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Turns every call of a manual body into a kManualComputation op; a body that is called twice is
// copied. The three-call form must be complete, else InvalidArgument.
absl::Status ImportShardMaps(HloProgram* program, SdyAttributeReader* frontend);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_SHARD_MAPS_H_
