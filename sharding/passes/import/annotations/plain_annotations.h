// Annotations as `sharding={devices=..}` on any instruction (V1, V2), as older compilers wrote
// them.
//
// XLA's own pass does so in tests only; tessera does it for modules that ask for it, and with
// --import=hlo.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_PLAIN_ANNOTATIONS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_PLAIN_ANNOTATIONS_H_

#include "absl/status/status.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Takes the mesh that the user gives, or finds the coarsest one that expresses all shardings of the
// module. Then gives every parameter, result and op its sharding, closed unless the header lets
// propagation change it. InvalidArgument if the shardings have no common mesh, or do not fit on the
// one given.
absl::Status ReadPlainAnnotations(HloProgram* program, SdyAttributeReader* frontend);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_PLAIN_ANNOTATIONS_H_
