// The per-device module with the tensors that its arrays come from, as JSON.
//
//   PartitionAnswer(traced, input, hlo::PrintModule(traced.module, options));   // {"module":"mlp",..}

#ifndef TESSERA_PIPELINE_VERBS_MODULE_PARTITION_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_MODULE_PARTITION_ANSWER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

// A message PartitionAnswer of partition_answer.proto.
std::string PartitionAnswer(const TracedDevice& device, const PartitionerInput& input,
                            absl::string_view text);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_PARTITION_ANSWER_H_
