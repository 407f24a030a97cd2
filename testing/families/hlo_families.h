// The families of cases about HLO text: hlo_roundtrip, hlo_errors.

#ifndef TESSERA_TESTING_FAMILIES_HLO_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_HLO_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> HloFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_HLO_FAMILIES_H_
