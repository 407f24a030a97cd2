#include "tessera/pipeline/verbs/costs/partitioned_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<PartitionedProgram> PartitionProgram(hlo::Module module, const Arguments& arguments,
                                                    const ShardOptions& options) {
  PartitionedProgram program;
  TESSERA_ASSIGN_OR_RETURN(program.input,
                           ReadPartitionerInput(std::move(module), arguments, options));
  TESSERA_ASSIGN_OR_RETURN(const int64_t opaque, LetCallsDecide(&program.input));
  program.notes = absl::StrCat(absl::StrJoin(program.input.notes, ""), NoteOnOpaqueCalls(opaque));
  TESSERA_ASSIGN_OR_RETURN(program.found, FindCollectivesOf(program.input));
  return program;
}

std::string PartitionKey(const Arguments& arguments) {
  return absl::StrCat(arguments.Has("as-is") ? "as-is " : "", PropagationKey(arguments));
}

}  // namespace tessera::pipeline
