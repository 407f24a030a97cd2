// The families of sharding/factors: rule text and the factor table.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_FACTORS_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_FACTORS_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> FactorsFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_FACTORS_FAMILIES_H_
