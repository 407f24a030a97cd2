// The families of explanations: origins of axes, and why an axis is missing.

#ifndef TESSERA_TESTING_FAMILIES_EXPLAIN_FAMILIES_H_
#define TESSERA_TESTING_FAMILIES_EXPLAIN_FAMILIES_H_

#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

// `explain_origins`: where the reference says that each axis comes from, and by which steps.
std::vector<Family> ExplainFamilies();

// `explain_whynot`: why an axis is not at a place, and what must change that it is.
Family WhyNotFamily();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_EXPLAIN_FAMILIES_H_
