// A module as lint sees it: propagated, partitioned, and measured on a device.
//
//   TESSERA_ASSIGN_OR_RETURN(const LintInput input, GatherLint(module, arguments, options, target));
//   Lint(input.program, budgets);
//
// A refusal of the partitioner is in program.partitioned; the tensors are there all the same.
// Tested by lint_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LINT_LINT_INPUT_H_
#define TESSERA_PIPELINE_VERBS_LINT_LINT_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/lint/program.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

struct LintInput {
  lint::LintProgram program;
  std::vector<std::string> notes;
};

// InvalidArgument for a module of one device, and for a target of another number of devices; errors as of Propagate(). With a `target` that is no
// CPU, collectives and memory are those of its compiler; on a TPU sizes include the padding of its
// tiles.
absl::StatusOr<LintInput> GatherLint(hlo::Module module, const Arguments& arguments,
                                     const ShardOptions& options,
                                     const std::optional<target::Target>& target);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LINT_LINT_INPUT_H_
