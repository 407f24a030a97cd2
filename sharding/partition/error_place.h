// Attaches an error of the partitioner to its instruction.
//
//   return AtInstruction(absl::UnimplementedError("..."), module, id);   // still Unimplemented

#ifndef TESSERA_SHARDING_PARTITION_ERROR_PLACE_H_
#define TESSERA_SHARDING_PARTITION_ERROR_PLACE_H_

#include "absl/status/status.h"
#include "tessera/hlo/module.h"

namespace tessera::sharding::partition {

// With the offset of the instruction in the text, unless the error has one already.
absl::Status AtInstruction(const absl::Status& status, const hlo::Module& module,
                           hlo::InstructionId id);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_ERROR_PLACE_H_
