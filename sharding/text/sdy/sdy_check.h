// The checks that make a sharding valid.
//
//   CheckShardingText(*ParseShardingText("<@mesh, [{\"q\"}]>"), mesh, nullptr);
//   // the mesh has no axis "q"; it has "x", "y"

#ifndef TESSERA_SHARDING_TEXT_SDY_SDY_CHECK_H_
#define TESSERA_SHARDING_TEXT_SDY_SDY_CHECK_H_

#include "absl/status/status.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {

// `type` null: only what holds for values of any type. The error has the offset of the fault.
absl::Status CheckShardingText(const ShardingText& text, const Mesh& mesh, const ValueType* type);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_SDY_SDY_CHECK_H_
