// The collectives of a program of one device as lines of an answer.
//
//   absl::StatusOr<std::vector<CollectiveLine>> lines = TargetLines(std::move(context), mesh);
//   lines->front().target->parts[0].sources;     // {"all-reduce.3"}, of the module that was read

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_LINES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_LINES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/mesh.h"
#include "tessera/target/pass.h"

namespace tessera::pipeline {

// In descending order of total(). Errors as of target::FindStanding(), with file, line and caret;
// OutOfRange if the bytes of all lines together do not fit in 64 bits. On a TPU each says whether it is
// synchronous, by a rule; on a GPU with `models_schedule`, by its modelled schedule.
absl::StatusOr<std::vector<CollectiveLine>> TargetLines(target::Context context,
                                                        const std::optional<sharding::Mesh>& mesh,
                                                        bool models_schedule = false);

// Those that finally run for a propagated module. Errors as of MakeDeviceModule(), CheckDevices() and
// target::RunPasses(), too.
absl::StatusOr<std::vector<CollectiveLine>> LinesOnTarget(const PartitionerInput& input,
                                                          const TargetChoice& choice);

// The origins of each, and the reader of a gather's array. The arrays of a combined collective have lines of their own,
// it has none.
void NameOrigins(const hlo::Module& module, const target::Provenance& origins,
                 std::vector<CollectiveLine>* lines);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_LINES_H_
