// The families of cases about projections.
#ifndef TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> ProjectionFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_PROJECTION_PROJECTION_FAMILIES_H_
