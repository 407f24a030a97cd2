// The module as the partitioner gets it: every instruction with its final sharding.
//
//   AddAsIsFlag(&verb);
//   ...
//   absl::StatusOr<PartitionerInput> input = ReadPartitionerInput(module, arguments, options);
//   input->module;      // the given one, if it has been through propagation, else what `shard` makes
//   input->mesh;        // that its shardings name

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_PARTITIONER_INPUT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_PARTITIONER_INPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::pipeline {

struct PartitionerInput {
  hlo::Module module;
  std::optional<sharding::Mesh> mesh;
  sharding::reference::Behaviors behaviors;  // of the release that partitions it
  std::vector<std::string> notes;
  int64_t opaque_calls = 0;  // that move nothing here: LetCallsDecide()
  // What propagation worked on: a module, and by instruction of `module` the one of it that it
  // stands for (kNoId: inserted). Null and empty for a module that is taken as it is.
  std::unique_ptr<PropagatedModule> sharded;
  std::vector<hlo::InstructionId> sources;
  writers::SourceLeaves leaves;  // as of Written
};

// The meaning of the shardings that a module comes with.
enum class ShardingState : uint8_t {
  kToPropagate,  // those of some tensors; propagation finds the others
  kFinal,        // the user says so
  kSeemsFinal,   // instructions have some that the user's program does not give; a note says so
};

// --as-is, and that no flag which only propagation reads goes with it.
void AddAsIsFlag(Verb* verb);

// Propagates what is to be propagated. Errors as of Propagate().
absl::StatusOr<PartitionerInput> PreparePartitionerInput(hlo::Module module,
                                                         const ShardOptions& options,
                                                         ShardingState state);

// --as-is: final. Else whether the module looks final (final_shardings.h), unless an argument
// (--annotate, --import, ..: FlagsForPropagation()) asks for propagation.
ShardingState StateOf(const hlo::Module& module, const Arguments& arguments);

// The options that read the final shardings of a module as they are, wherever they stand. Its
// instructions are not cleaned up.
ShardOptions OptionsOfFinal(ShardOptions options);

absl::StatusOr<PartitionerInput> ReadPartitionerInput(hlo::Module module,
                                                      const Arguments& arguments,
                                                      const ShardOptions& options);

// On which arguments it depends.
std::string PartitionKey(const Arguments& arguments);

// Takes calls whose partitioning a callback decides (JAX's custom_partitioning) as calls that move
// nothing: cost/step/opaque_calls.h. Adds a note where there are any.
absl::Status LetCallsDecide(PartitionerInput* input);
// The module of `options` propagated, with its calls decided. Errors as of these two.
absl::StatusOr<PartitionerInput> PropagatedInput(hlo::Module module, const ShardOptions& options);
// The options for a module that has been cleaned up already.
ShardOptions OptionsAfterCleanUps(ShardOptions options);
// The note on so many, "" for none.
std::string NoteOnOpaqueCalls(int64_t calls);

// Of `sharded`, only what LocatedInInput() and the notes read stays.
void ForgetPropagation(PartitionerInput* input);

// An error of the partitioner with file, line and caret in the text that the user gave.
absl::Status LocatedInInput(const absl::Status& status, const PartitionerInput& input);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_PARTITIONER_INPUT_H_
