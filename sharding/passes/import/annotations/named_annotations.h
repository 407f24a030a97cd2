// Annotations as `sharding={mesh['x'=4], [{'x'}, {?}]}` (V3) in place of xla.sdy attributes.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_NAMED_ANNOTATIONS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_NAMED_ANNOTATIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// The annotation of one array by the `sharding=` of its instruction.
struct NamedAnnotation {
  ShardingId sharding = kNoSharding;
  std::vector<std::string> manual_axes;
};
// One for each array in the sharding; empty if the instruction has none. InvalidArgument, without a
// place, for shardings that ReadNamedAnnotations refuses.
absl::StatusOr<std::vector<NamedAnnotation>> ReadNamedAnnotation(HloProgram* program,
                                                                 hlo::InstructionId id);

// Reads the shardings of parameters and roots of functions, and of Sharding calls, X64Combine,
// callbacks, send, recv and after-all. {replicated} counts as none; InvalidArgument for any other
// sharding without mesh. Axes that are called manual are left out: they follow from the shard_maps.
absl::Status ReadNamedAnnotations(HloProgram* program, SdyAttributeReader* frontend);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_NAMED_ANNOTATIONS_H_
