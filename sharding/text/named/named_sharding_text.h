// The reader of V3 leaves, `{mesh['a'=2], [{'a'}]}`.

#ifndef TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_TEXT_H_
#define TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_TEXT_H_

#include "absl/status/statusor.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/text/sharding_lexer.h"

namespace tessera::sharding {

// At the word `mesh`, `single_device` or `maximal_mesh`; consumes the closing brace of the leaf.
absl::StatusOr<HloSharding> ParseNamedSharding(ShardingLexer& in);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_NAMED_NAMED_SHARDING_TEXT_H_
