// The families of sharding/rules.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_RULES_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_RULES_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> RulesFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_RULES_FAMILIES_H_
