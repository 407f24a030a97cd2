// The table of expected shardings (table.h), found from the two modules of a pair alone.
//
//   Derived derived = DeriveTable(before, after);
//   derived.table;        // what an in-place result has to show
//   derived.problems;     // empty, unless the modules could not be matched
//
// A pair that comes with a table of another origin is checked against that one.

#ifndef TESSERA_TESTING_PAIRS_TABLE_DERIVE_TABLE_H_
#define TESSERA_TESTING_PAIRS_TABLE_DERIVE_TABLE_H_

#include <string>
#include <vector>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

struct Derived {
  Table table;
  std::vector<std::string> problems;
};
Derived DeriveTable(const Dump& before, const Dump& after);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_DERIVE_TABLE_H_
