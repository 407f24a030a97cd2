// The families of cases about single shardings and meshes: sharding_hlo_text, sharding_v3, ...

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_SHARDING_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_SHARDING_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> ShardingFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_SHARDING_FAMILIES_H_
