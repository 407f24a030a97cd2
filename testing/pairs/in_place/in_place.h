// Is a module the in-place result (structure `keep`) that the table of its pair demands?

#ifndef TESSERA_TESTING_PAIRS_IN_PLACE_IN_PLACE_H_
#define TESSERA_TESTING_PAIRS_IN_PLACE_IN_PLACE_H_

#include <string>
#include <vector>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/spelling.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

// One line for each difference. Demanded: shardings leaf by leaf, clones of constants with the
// right users, exactly the inserted copies of the table, markers and their attributes gone; every
// other byte and the order of the lines as before.
std::vector<std::string> CompareInPlace(const Dump& before, const Table& table, const Dump& actual,
                                        Spellings& spellings);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_IN_PLACE_IN_PLACE_H_
