// --reference=VERSION: which release of the reference is imitated. For every verb that propagates
// or shows rules.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_REFERENCE_FLAG_H_
#define TESSERA_PIPELINE_COMMAND_LINE_REFERENCE_FLAG_H_

#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/sharding/reference/reference.h"

namespace tessera::pipeline {

Flag ReferenceFlag();
absl::StatusOr<sharding::reference::Reference> ReadReference(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_REFERENCE_FLAG_H_
