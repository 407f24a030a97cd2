// Questions to the real compiler from the command line, answered from the cache where they were asked
// before.
//
//   for (Flag& flag : CompilerFlags()) verb.flags.push_back(std::move(flag));
//   ...
//   TESSERA_ASSIGN_OR_RETURN(CompilerQuestion question, ReadQuestion(target, arguments));
//   TESSERA_RETURN_IF_ERROR(AskAbout(module, 8, &question));
//   TESSERA_ASSIGN_OR_RETURN(Compiled compiled, CompileOrFind(question, /*cached=*/true));
//   compiled.answer.program.text, compiled.note

#ifndef TESSERA_PIPELINE_VERBS_CONFIRM_COMPILER_FLAGS_H_
#define TESSERA_PIPELINE_VERBS_CONFIRM_COMPILER_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/confirm/real_compiler.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

struct Compiled {
  CompilerAnswer answer;
  std::string versions;  // "jax 0.12.0.1, jaxlib 0.12.0.1, libtpu 0.0.50.1"
  std::string note;      // who compiled it, and where the answer is kept
};

// --python, --timeout and --no-cache.
std::vector<Flag> CompilerFlags();

// From these flags and --xla-flags. The module is missing yet.
absl::StatusOr<CompilerQuestion> ReadQuestion(const target::Target& target,
                                              const Arguments& arguments);
// Errors of hlo::ModuleToProto().
absl::Status AskAbout(const hlo::Module& module, int64_t partitions, CompilerQuestion* question);

// Errors of FindCompiler() and AskCompiler().
absl::StatusOr<Compiled> CompileOrFind(const CompilerQuestion& question, bool cached);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CONFIRM_COMPILER_FLAGS_H_
