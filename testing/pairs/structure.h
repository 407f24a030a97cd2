// Compares two results of the pass by structure: names, order, metadata and spelling are free.

#ifndef TESSERA_TESTING_PAIRS_STRUCTURE_H_
#define TESSERA_TESTING_PAIRS_STRUCTURE_H_

#include <string>
#include <vector>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/spelling.h"

namespace tessera::testing::pairs {

// One line for each difference; none if `actual` is the module that `expected` is.
std::vector<std::string> CompareStructure(const Dump& expected, const Dump& actual,
                                          Spellings& spellings);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_STRUCTURE_H_
