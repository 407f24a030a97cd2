// xla.sdy.FuncResultSharding calls, see annotations.h.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_FUNC_RESULTS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_FUNC_RESULTS_H_

#include "absl/status/status.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// Consumes the call, which is in `f`.
absl::Status ImportFuncResult(HloProgram* program, SdyAttributeReader* frontend, Function* f,
                              Op* call);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_FUNC_RESULTS_H_
