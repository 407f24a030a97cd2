// The coarsest list of numbers that refines two others.
//
//   CommonFactors({6, 4}, {2, 6, 2});   // {2, 3, 2, 2}: 6 = 2*3, 4 = 2*2 and 2 = 2, 6 = 3*2, 2 = 2
//   CommonFactors({2, 3}, {3, 2});      // none

#ifndef TESSERA_SHARDING_MESH_COMMON_FACTORS_H_
#define TESSERA_SHARDING_MESH_COMMON_FACTORS_H_

#include <optional>

#include "absl/types/span.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding {

// Both lists cut into one list of factors, in order, ones left out. None if the cuts cross, or the
// products differ. All numbers must be positive.
std::optional<Dims> CommonFactors(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_COMMON_FACTORS_H_
