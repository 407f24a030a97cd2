// The compiler of a target, where the user has it: JAX in a Python of their choice, which compiles
// for devices that are not there.
//
//   const CompilerQuestion question = {"python3", choice, 8, std::move(module_bytes), {}, 600};
//   TESSERA_ASSIGN_OR_RETURN(const std::string versions, FindCompiler(question));
//   absl::StatusOr<CompilerAnswer> answer = AskCompiler(question);
//   answer->program.text;     // the final module
//   answer->refusal;          // or why there is none: "RESOURCE_EXHAUSTED: .."
//
// compile.py is the question in Python; it is a text in this binary.

#ifndef TESSERA_PIPELINE_VERBS_CONFIRM_REAL_COMPILER_H_
#define TESSERA_PIPELINE_VERBS_CONFIRM_REAL_COMPILER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/verbs/confirm/compile_cache.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

struct CompilerQuestion {
  std::string python;              // a path, or a name as a shell finds it
  target::Target target;           //
  int64_t partitions = 1;          // devices
  std::string module;              // a serialized HloModuleProto
  std::vector<int64_t> donors;     // arguments whose memory results may take
  std::vector<std::string> flags;  // "--xla_gpu_..=0"
  int64_t seconds = 0;             // the limit
};

struct CompilerAnswer {
  CompiledProgram program;
  std::string refusal;  // what the compiler says of a program that it does not compile
};

// "jax 0.12.0.1, jaxlib 0.12.0.1, libtpu 0.0.50.1". NotFound, which says what to install, where the
// Python or a package is not there.
absl::StatusOr<std::string> FindCompiler(const CompilerQuestion& question);

// DeadlineExceeded at the limit of time; Internal, with the end of what Python wrote, for a failure
// that is none of the program.
absl::StatusOr<CompilerAnswer> AskCompiler(const CompilerQuestion& question);

// compile.py, and shardy_form.py, which stands beside it.
absl::string_view CompileScript();
absl::string_view ShardyFormScript();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CONFIRM_REAL_COMPILER_H_
