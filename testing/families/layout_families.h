// The families of cases about layouts: layout_parse, layout_size, layout_index, ...

#ifndef TESSERA_TESTING_FAMILIES_LAYOUT_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_LAYOUT_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

std::vector<Family> LayoutFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_LAYOUT_FAMILIES_H_
