// The program that one device of a target runs, made of a module of any earlier stage.
//
//   TESSERA_ASSIGN_OR_RETURN(TargetProgram program,
//                            ReadTargetProgram(std::move(module), choice, arguments));
//   TargetLines(std::move(*program.context), program.mesh);      // target_lines.h

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_PROGRAM_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_PROGRAM_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/sharding/mesh.h"
#include "tessera/target/pass.h"

namespace tessera::pipeline {

// In the frontend_attributes of the header of what `partition --stage=final` prints: the target.
inline constexpr char kPassesRanFor[] = "tessera.passes_ran_for";

struct TargetProgram {
  std::unique_ptr<target::Context> context;
  std::optional<sharding::Mesh> mesh;  // that names the axes of its groups
  std::string notes;                   // for standard error
  bool was_partitioned = false;        // when it was read
};

// The target compiler's passes in front of Shardy, propagation, the partitioner, and the passes
// after it. Errors as of BeforeShardy(), ReadDeviceModule() and RunTarget(): InvalidArgument for a
// module that a compiler has finished.
absl::StatusOr<TargetProgram> ReadTargetProgram(hlo::Module module, const TargetChoice& choice,
                                                const Arguments& arguments);

// The same in two steps, for questions about the program between them.
struct PartitionedForTarget {
  DeviceModule device;
  bool was_partitioned = false;  // when it was read
};
absl::StatusOr<PartitionedForTarget> PartitionForTarget(hlo::Module module,
                                                        const TargetChoice& choice,
                                                        const Arguments& arguments);
absl::StatusOr<TargetProgram> RunAfterPartitioner(PartitionedForTarget partitioned,
                                                  const TargetChoice& choice,
                                                  const Arguments& arguments);

// The program as the target's compiler propagates and partitions it, with PartitionedModule::causes.
// Errors as of BeforeShardy(), ReadPartitionerInput() and PartitionInput().
absl::StatusOr<PartitionedProgram> PartitionProgramForTarget(hlo::Module module,
                                                             const TargetChoice& choice,
                                                             const Arguments& arguments,
                                                             const ShardOptions& options);

// The arguments of a verb that has no flags of propagation, for the function above.
Arguments DefaultsOfPropagation();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_PROGRAM_H_
