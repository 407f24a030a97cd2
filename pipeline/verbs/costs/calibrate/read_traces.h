// The profiles of a module that ran.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_CALIBRATE_READ_TRACES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_CALIBRATE_READ_TRACES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/trace/trace.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline {

// All files as one profile. Errors of cost::AddTrace(); InvalidArgument for profiles without an event
// of the module, which names the modules that they have.
absl::StatusOr<cost::Trace> ReadTraces(const hlo::Module& module,
                                       const std::vector<std::string>& files);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_CALIBRATE_READ_TRACES_H_
