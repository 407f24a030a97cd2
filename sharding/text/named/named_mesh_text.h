// The mesh of a V3 leaf: `mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0))` or
// `single_device[device_id=3]`, which was `maximal_mesh[device_id=3]` once.

#ifndef TESSERA_SHARDING_TEXT_NAMED_NAMED_MESH_TEXT_H_
#define TESSERA_SHARDING_TEXT_NAMED_NAMED_MESH_TEXT_H_

#include "absl/status/status.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/text/sharding_lexer.h"

namespace tessera::sharding {

inline bool IsNamedMesh(const ShardingLexer& in) {
  return in.IsWord("mesh") || in.IsWord("single_device") || in.IsWord("maximal_mesh");
}

// At the word `mesh`, `single_device` or `maximal_mesh`; fills in the mesh and its device order.
absl::Status ParseNamedMesh(ShardingLexer& in, NamedSharding& out);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_NAMED_NAMED_MESH_TEXT_H_
