// The `metadata=` of a sharding: kept as text, except for the one entry that has a meaning.

#ifndef TESSERA_SHARDING_TEXT_METADATA_TEXT_H_
#define TESSERA_SHARDING_TEXT_METADATA_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/sharding/text/sharding_lexer.h"

namespace tessera::sharding {

// After `metadata=`: one entry `{..}` or a list `{{..}, {..}}`; appends each entry as
// written, without comments.
absl::Status ParseMetadata(ShardingLexer& in, std::vector<std::string>& entries);

// The reduction that an entry op_type="sdy::reduction_op" op_name="MAX" names; sum without one.
Reduction ReductionOfMetadata(const std::vector<std::string>& entries);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_METADATA_TEXT_H_
