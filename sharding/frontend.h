// The values of `xla.sdy.*` frontend attributes.
//
//   xla.sdy.meshes={mesh = #sdy.mesh<["a"=4, "b"=2]>}                  on the module
//   xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"             on a parameter
//   xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>"   on an instruction
//
// All functions take the value as HLO's own parser gives it and resolve the second layer of C
// escapes that writers put in (`[{\"a\"}]` and `[{"a"}]` are both fine). Errors are InvalidArgument
// with an offset in the unescaped value.
//
// A value that is the text of some *other* attribute counts as absent, and stays in the module: the
// functions below return none for it. Text that is no attribute at all is an error.

#ifndef TESSERA_SHARDING_FRONTEND_H_
#define TESSERA_SHARDING_FRONTEND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

// The names of the attributes.
inline constexpr absl::string_view kMeshesAttribute = "xla.sdy.meshes";
inline constexpr absl::string_view kShardingAttribute = "xla.sdy.sharding";
inline constexpr absl::string_view kShardingRuleAttribute = "xla.sdy.sharding_rule";
inline constexpr absl::string_view kInShardingsAttribute = "xla.sdy.in_shardings";
inline constexpr absl::string_view kOutShardingsAttribute = "xla.sdy.out_shardings";
inline constexpr absl::string_view kManualAxesAttribute = "xla.sdy.manual_axes";
inline constexpr absl::string_view kShardingGroupAttribute = "xla.sdy.sharding_group_id";
inline constexpr absl::string_view kDirectionAttribute = "xla.sdy.allowed_direction";
inline constexpr absl::string_view kTupleArgsAttribute = "xla.sdy.tuple_args_shardings";
inline constexpr absl::string_view kTupleResultsAttribute = "xla.sdy.tuple_results_shardings";
inline constexpr absl::string_view kUseTupleArgsAttribute = "xla.sdy.use_tuple_args";
inline constexpr absl::string_view kImportMhloAttribute = "xla.sdy.import_mhlo_shardings";

// Whether a function of this name is the body of a shard_map.
bool IsManualBodyName(absl::string_view name);

// The value without its C escapes.
absl::StatusOr<std::string> UnescapeAttribute(absl::string_view value);

// `{mesh = #sdy.mesh<..>, "other" = #sdy.mesh<..>}`: in the order of the names.
absl::StatusOr<MeshTable> ParseMeshesAttribute(absl::string_view value);

// One sharding, as on a parameter.
absl::StatusOr<std::optional<TensorSharding>> ParseShardingAttribute(absl::string_view value,
                                                                     MeshTable& meshes);
// A list, as on an instruction.
absl::StatusOr<std::optional<std::vector<TensorSharding>>> ParsePerValueAttribute(
    absl::string_view value, MeshTable& meshes);

// `#sdy<manual_axes{"a"}>`
absl::StatusOr<std::vector<std::string>> ParseManualAxesAttribute(absl::string_view value);

// `3 : i64`, `2 : i32` or a plain number.
absl::StatusOr<int64_t> ParseIntAttribute(absl::string_view value);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_FRONTEND_H_
