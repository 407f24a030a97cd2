// The flags of verbs that shard a module, and their meaning.
//
//   verb.flags = ShardFlags();
//   ...
//   absl::StatusOr<ShardOptions> options = ReadShardOptions(arguments);

#ifndef TESSERA_PIPELINE_SHARD_ARGUMENTS_H_
#define TESSERA_PIPELINE_SHARD_ARGUMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard.h"

namespace tessera::pipeline {

// The flags that decide the shardings: reference, mesh, annotate, import, stage, rule, strategy,
// schedule, conservative; result-names says how results are called.
std::vector<Flag> PropagationFlags();
// Those and how the result is made and written: format, structure, uneven-boundaries,
// no-propagation.
std::vector<Flag> ShardFlags();
// The names of those that only propagation reads.
std::vector<std::string> FlagsForPropagation();
// A flag of these on the command line asks for propagation; one in a project file does not.
bool AsksToPropagate(const Arguments& arguments);

absl::StatusOr<ShardOptions> ReadPropagationOptions(const Arguments& arguments);
// The same for verbs that show shardings: those that look final are read as they are.
absl::StatusOr<ShardOptions> ReadOptionsToShow(const Arguments& arguments);
// Equal for arguments for which ReadPropagationOptions() gives the same: a key for OnPrepared().
std::string PropagationKey(const Arguments& arguments);
absl::StatusOr<ShardOptions> ReadShardOptions(const Arguments& arguments);

// --jobs=N, for verbs that work on many variants; ReadPropagationOptions() reads it.
Flag JobsFlag();

// TARGET and RULE of each --rule; the rules themselves are not looked at.
using UserRules = std::vector<std::pair<std::string, std::string>>;
Flag RuleFlag();
absl::StatusOr<UserRules> ReadRules(const Arguments& arguments);

// data=4,model=2, as of sharding/mesh_sizes.h.
absl::StatusOr<sharding::Mesh> ParseMeshFlag(absl::string_view text);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_SHARD_ARGUMENTS_H_
