// The module as the partitioner gets it: every instruction with its final sharding.
//
//   absl::StatusOr<PartitionerInput> input = PreparePartitionerInput(module, options);
//   input->module;      // the given one, if it has been through propagation, else what `shard` makes
//   input->mesh;        // that its shardings name

#ifndef TESSERA_PIPELINE_VERBS_PARTITIONER_INPUT_H_
#define TESSERA_PIPELINE_VERBS_PARTITIONER_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

struct PartitionerInput {
  hlo::Module module;
  std::optional<sharding::Mesh> mesh;
  std::vector<std::string> notes;
};

// A module that stands behind propagation: sharding={...} on instructions, and nothing that
// propagation takes away (xla.sdy attributes, Sharding calls).
bool HasFinalShardings(const hlo::Module& module);

// Propagates unless `as_is`. Errors as of ShardModule().
absl::StatusOr<PartitionerInput> PreparePartitionerInput(hlo::Module module, ShardOptions options,
                                                         bool as_is);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PARTITIONER_INPUT_H_
