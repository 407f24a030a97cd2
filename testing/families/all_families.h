// Every family of cases that tessera can check.

#ifndef TESSERA_TESTING_FAMILIES_ALL_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_ALL_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> AllFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_ALL_FAMILIES_H_
