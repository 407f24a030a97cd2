// What makes the axes of a V3 leaf consistent.

#ifndef TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_CHECK_H_
#define TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_CHECK_H_

#include "absl/status/status.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::sharding {

// No two references overlap or are parts of different cuts of one axis; neighbours that could be
// one are one; the replicated, unreduced and manual lists are in the order of the mesh.
// InvalidArgument for the first fault.
absl::Status CheckNamedSharding(const NamedSharding& named);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_CHECK_H_
