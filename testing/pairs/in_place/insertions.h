// Insertions of the pass: copies and conversions that stand between a user and its value after it
// but not before it.
//
//   before   dot(x, y)               after   dot(copy(x), y)
//   FindInsertions(derivation, c);   // dot: copy of x

#ifndef TESSERA_TESTING_PAIRS_IN_PLACE_INSERTIONS_H_
#define TESSERA_TESTING_PAIRS_IN_PLACE_INSERTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/derivation.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

// By user in computation `c` of the source. What lies after a copy of the source is listed once,
// for that copy.
std::map<std::string, std::vector<Insertion>> FindInsertions(const Derivation& derivation,
                                                             const Computation& c);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_IN_PLACE_INSERTIONS_H_
