// The family `shardy_xla_pass`: whole modules before and after the pass, in both structures.

#ifndef TESSERA_TESTING_FAMILIES_PASS_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_PASS_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> PassFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_PASS_FAMILIES_H_
