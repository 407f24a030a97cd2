// Shardings from the user of tessera, outside of the module.
//
//   UserAnnotation a;
//   a.instruction = w;                            // f32[64,128] parameter(1)
//   a.spec = *ParsePartitionSpec("P(None, 'model')");
//   ApplyUserAnnotations(&program, {a});
//
// On a parameter of the entry, and on a constraint, the sharding replaces the one that is there. On
// anything else it is a constraint: one is put after the value.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_USER_ANNOTATIONS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_USER_ANNOTATIONS_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/pspec.h"

namespace tessera::sharding::passes {

struct UserAnnotation {
  hlo::InstructionId instruction = hlo::kNoId;
  PartitionSpec spec;
};

// Axes belong to the mesh with the most devices. InvalidArgument without a mesh, or if a spec does
// not fit the instruction's arrays.
absl::Status ApplyUserAnnotations(HloProgram* program,
                                  const std::vector<UserAnnotation>& annotations);

// Adds a constraint on the value, and redirects the value's users to it.
void AddConstraint(HloProgram* program, Value* value, ShardingId sharding);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_USER_ANNOTATIONS_H_
