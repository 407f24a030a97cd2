// The module as the partitioner gets it: every instruction with its final sharding.
//
//   verb.flags.push_back(AsIsFlag());
//   ...
//   absl::StatusOr<PartitionerInput> input = ReadPartitionerInput(module, arguments, options);
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
#include "tessera/pipeline/verb.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

struct PartitionerInput {
  hlo::Module module;
  std::optional<sharding::Mesh> mesh;
  std::vector<std::string> notes;
};

// --as-is
Flag AsIsFlag();

// Propagates unless `as_is`. Errors as of ShardModule().
absl::StatusOr<PartitionerInput> PreparePartitionerInput(hlo::Module module, ShardOptions options,
                                                         bool as_is);

// What ReadPartitionerInput() finds: --as-is, or a module that stands behind propagation where no
// argument (--annotate, --import) asks for it.
bool IsAsIs(const hlo::Module& module, const Arguments& arguments);

absl::StatusOr<PartitionerInput> ReadPartitionerInput(hlo::Module module,
                                                      const Arguments& arguments,
                                                      const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PARTITIONER_INPUT_H_
