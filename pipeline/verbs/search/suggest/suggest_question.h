// A question to `tessera suggest`: its flags, read.
//
//   TESSERA_ASSIGN_OR_RETURN(const SuggestQuestion asked, ReadSuggestQuestion(arguments));
//   LimitOf(asked, mesh);      // bytes of a device
//
// Tested by suggest_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_QUESTION_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

struct SuggestQuestion {
  ShardOptions options;
  std::optional<MemoryLimit> said_limit;
  std::string topology;                // of a machine that is no target
  std::optional<TargetChoice> target;  // one of the two
  cost::CallCosts calls;               // of --kernel-cost
  int64_t tries = 0, groups = 0, confirm = 0;
};

// InvalidArgument for flags that do not read, and without a machine.
absl::StatusOr<SuggestQuestion> ReadSuggestQuestion(const Arguments& arguments);

// The memory of a device: the user's figure, else the machine's.
absl::StatusOr<std::optional<int64_t>> LimitOf(const SuggestQuestion& asked,
                                               const sharding::Mesh& mesh);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_QUESTION_H_
