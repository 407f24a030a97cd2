#include "tessera/pipeline/command_line/reference_flag.h"

#include <string>

namespace tessera::pipeline {

Flag ReferenceFlag() {
  return {"reference",
          "VERSION",
          "the jaxlib whose pass is computed, e.g. 0.12.0.1, 0.10.2; 0.11 is the newest 0.11.x",
          std::string(sharding::reference::kNewest),
          false,
          kProgramFlags};
}

absl::StatusOr<sharding::reference::Reference> ReadReference(const Arguments& arguments) {
  return sharding::reference::FindReference(arguments.Get("reference"));
}

}  // namespace tessera::pipeline
