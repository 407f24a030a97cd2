// The program as the partitioner gets it, and the program of a device: what the verbs that count
// costs work on. A session keeps it, so that a second limit or topology propagates nothing.
//
//   return OnPrepared<PartitionedProgram>(arguments, PartitionKey(arguments), [&](hlo::Module m) {
//     return PartitionProgram(std::move(m), arguments, *options); }, answer);

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_PARTITIONED_PROGRAM_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_PARTITIONED_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// The user's name of a parameter of the entry; the pass has another one.
struct EntryArgument {
  std::string name, op_name, location;
};

struct PartitionedProgram {
  std::vector<EntryArgument> entry_arguments;  // of the module that was read
  PartitionerInput input;                      // calls that a callback decides move nothing in it
  sharding::partition::PartitionedModule device;
};

// Errors as of ReadPartitionerInput() and PartitionInput().
absl::StatusOr<PartitionedProgram> PartitionProgram(hlo::Module module, const Arguments& arguments,
                                                    const ShardOptions& options);
// Without entry_arguments. Errors as of LetCallsDecide() and MakeDeviceModule().
absl::StatusOr<PartitionedProgram> PartitionInput(
    PartitionerInput input,
    const sharding::partition::Options& options = sharding::partition::OptionsOfCosts());

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_PARTITIONED_PROGRAM_H_
