#include "tessera/pipeline/verbs/layout/layout_shard.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/sharding/pspec.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::HloSharding;

// The value, or its error at its place in the text of that flag.
template <typename T>
absl::StatusOr<T> In(const char* flag, const std::string& text, absl::StatusOr<T> read) {
  if (read.ok()) return read;
  return text::Located(read.status(), *text::Source::FromString(flag, text));
}

absl::StatusOr<HloSharding> ReadSharding(const std::string& text, const std::string& mesh_text,
                                         int rank) {
  if (!absl::StartsWith(text, "P")) {
    return In("--sharding", text, sharding::ParseHloSharding(text));
  }
  TESSERA_ASSIGN_OR_RETURN(const sharding::Mesh mesh,
                           In("--mesh", mesh_text, sharding::ParseMeshSizes(mesh_text)));
  TESSERA_ASSIGN_OR_RETURN(const sharding::PartitionSpec spec,
                           In("--sharding", text, sharding::ParsePartitionSpec(text)));
  TESSERA_ASSIGN_OR_RETURN(const auto axes, spec.Resolve(0, mesh, rank));
  return sharding::ToNamedSharding(axes, mesh);
}

}  // namespace

absl::StatusOr<layout::Shape> ShardOf(const layout::Shape& shape, const std::string& sharding,
                                      const std::string& mesh) {
  layout::Shape shard = shape.array();
  if (!shard.is_array() || shard.has_unbounded_dim()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--sharding is for one array of known size, not ", layout::ShapeToString(shape)));
  }
  TESSERA_ASSIGN_OR_RETURN(const HloSharding read,
                           ReadSharding(sharding, mesh, static_cast<int>(shard.rank())));
  const sharding::ShardedLeaf leaf{true, shard.dims()};
  TESSERA_RETURN_IF_ERROR(sharding::ValidateSharding(read, false, {leaf}, read.num_devices()));
  const std::vector<int64_t> tile = sharding::TileShape(read, shard.dims());
  for (size_t i = 0; i < tile.size(); ++i) shard.set_dim(static_cast<int64_t>(i), tile[i]);
  return shard;
}

}  // namespace tessera::pipeline
