// The family of propagation.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

// `propagation`: every strategy of a case, through the engine in all its forms.
std::vector<Family> PropagationFamilies();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_FAMILIES_H_
