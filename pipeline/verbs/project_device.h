// `tessera project --device`: what a device holds and lacks under the shardings that `shard`
// writes.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_DEVICE_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_DEVICE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/placement.h"
#include "tessera/pipeline/verb.h"
#include "tessera/pipeline/verbs/project_parse.h"
#include "tessera/pipeline/verbs/project_regions.h"
#include "tessera/pipeline/verbs/project_request.h"

namespace tessera::pipeline {

// The module as `shard` writes it. InvalidArgument where it has no mesh.
absl::StatusOr<Placement> PlaceModule(const hlo::Module& module, const Arguments& arguments);

// NAME in that module, where calls are what they called.
absl::StatusOr<NamedArray> FindPlaced(const hlo::Module& module, const Placement& placement,
                                      const std::string& name);

// The tile of the device, what it lacks of each operand, and what all devices move.
absl::Status AnswerDevice(const Subject& of, const Placement& placement, const Arguments& arguments,
                          ProjectAnswer* answer);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_DEVICE_H_
