// V3 leaves, `{mesh['a'=2], [{'a'}]}`: their meshes, their reader, and what makes their axes consistent.

#ifndef TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_H_
#define TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/text/sharding_lexer.h"

namespace tessera::sharding {

// `mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0))` or `single_device[device_id=3]`, which was
// `maximal_mesh[device_id=3]` once.
inline bool IsNamedMesh(const ShardingLexer& in) {
  return in.IsWord("mesh") || in.IsWord("single_device") || in.IsWord("maximal_mesh");
}

// At the first word of a mesh; fills in the mesh and its device order.
absl::Status ParseNamedMesh(ShardingLexer& in, NamedSharding& out);

// At the first word of a mesh; consumes the closing brace of the leaf.
absl::StatusOr<HloSharding> ParseNamedSharding(ShardingLexer& in);

// No two references overlap or are parts of different cuts of one axis; neighbours that could be
// one are one; the replicated, unreduced and manual lists are in the order of the mesh.
// InvalidArgument for the first fault.
absl::Status CheckNamedSharding(const NamedSharding& named);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_H_
