// The family layout_relayout: where each slot of a destination comes from.

#ifndef TESSERA_TESTING_FAMILIES_RELAYOUT_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_RELAYOUT_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> RelayoutFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_RELAYOUT_FAMILIES_H_
