// The main job as a function: a module goes in, its text with shardings comes out.
//
//   ShardOptions options;
//   options.mesh = *Mesh::Create({{"data", 4}, {"model", 2}});
//   options.annotations = {*ParseAnnotation("w.*=P(None, 'model')")};
//   absl::StatusOr<ShardResult> result = ShardModule(std::move(module), options);
//   result->text;            // HLO
//   result->notes;           // what the user should know
//
// To see the state after propagation, or the final shardings, stop half-way:
//
//   absl::StatusOr<std::unique_ptr<PropagatedModule>> s = Propagate(module, options);
//   (*s)->program->entry();              // sharding/passes/program/hlo_program.h
//   Finalize(options, s->get());       // boundaries made even, shardings closed, reshards inserted

#ifndef TESSERA_PIPELINE_SHARD_H_
#define TESSERA_PIPELINE_SHARD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/writers/xla_writer.h"
#include "tessera/sharding/passes/context.h"
#include "tessera/sharding/propagation/observer.h"

namespace tessera::pipeline {

// A module on its way through the passes; after Propagate() it has a program and a run.
using PropagatedModule = sharding::passes::Context;

// The message of an error about the module has file, line, column and caret in the text that was
// given, one for each mistake.
absl::StatusOr<std::unique_ptr<PropagatedModule>> Propagate(
    hlo::Module module, const ShardOptions& options,
    sharding::propagation::Observer* observer = nullptr);

// The passes after propagation, on the program of `s`: what it says then is what XLA's partitioner
// gets. Errors as above.
absl::Status Finalize(const ShardOptions& options, PropagatedModule* s);

// Gives back what says how the shardings came about, a tenth of the memory: rules, steps, numbers.
// The program stays.
void ReleaseRun(PropagatedModule* s);

// The module that the pass leaves, for further work: all passes but the last, which
// would make a text.
struct Written {
  hlo::Module module;
  // By instruction of `module`, the one of PropagatedModule::module that it stands for or is a part
  // of; kNoId for what was inserted.
  std::vector<hlo::InstructionId> sources;
  // With ShardOptions::traces_leaves: of which array of its source an array is (xla_writer.h).
  writers::SourceLeaves leaves;
};
// `s` has been through Finalize; its program and its run are gone then. Errors as above.
absl::StatusOr<Written> WriteModule(const ShardOptions& options, PropagatedModule* s);

struct ShardResult {
  std::string text;
  std::vector<std::string> notes;
};
absl::StatusOr<ShardResult> ShardModule(hlo::Module module, const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_SHARD_H_
