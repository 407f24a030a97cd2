// The border of a shard_map: shardings of what goes in and out, its mesh and its manual axes.
//
//   absl::Status status = SetShardMapBorder(&program, &frontend, manual, enter, leave);
//   manual->As<ManualInfo>()->manual_axes;     // {0}: the first axis of the mesh

#ifndef TESSERA_SHARDING_PASSES_IMPORT_SHARD_MAP_BORDER_H_
#define TESSERA_SHARDING_PASSES_IMPORT_SHARD_MAP_BORDER_H_

#include "absl/status/status.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Whether the calls before and after a body (null for none) describe it with `sharding=` alone,
// without frontend attributes.
bool IsNamedBorder(const HloProgram& program, const Op* enter, const Op* leave);

// Whether `operand` of the custom call before the body is the result of a Sharding call whose
// sharding is an in-sharding of a named boundary.
bool IsBoundaryConstraint(const HloProgram& program, const Value& operand);

// Reads the custom calls before and after the body of `manual`, a kManualComputation op; null for
// none. Errors have the place of the shard_map's call.
absl::Status SetShardMapBorder(HloProgram* program, SdyAttributeReader* frontend, Op* manual,
                               const Op* enter, const Op* leave);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_SHARD_MAP_BORDER_H_
