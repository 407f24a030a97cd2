// The families of reshards: explicit ones, and the collectives of one.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_RESHARD_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_RESHARD_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

// `explicit_reshards`: one op, full version. `reshards`: from one sharding to another as
// collectives.
std::vector<Family> ReshardFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_RESHARD_FAMILIES_H_
