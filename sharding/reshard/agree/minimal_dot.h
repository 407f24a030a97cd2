// The one case in which the minimal version touches a dot.

#ifndef TESSERA_SHARDING_RESHARD_AGREE_MINIMAL_DOT_H_
#define TESSERA_SHARDING_RESHARD_AGREE_MINIMAL_DOT_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/factors/projection.h"

namespace tessera::sharding::reshard {

// If the operands agree, and the result differs from them in a single factor, where it has just the
// axes over which the partial sums are added up. Then it is the factor whose axes the result should
// take from the operand. (Then the sum and the reshard to the old sharding make one
// reduce-scatter.)
//
//   A [i: -, k: a]  B [k: a, j: -]  C [i: a, j: -]    nothing: i of A has no axes to offer
//   A [i: b, k: a]  B [k: a, j: -]  C [i: a, j: -]    i: C takes b, then is resharded to a
//
// `elements`: element counts of lhs, rhs and result.
std::optional<int> ConflictOfDot(const factors::FactorTable& table,
                                 absl::Span<const int64_t> elements);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_MINIMAL_DOT_H_
