// The sources of the rows of a derived table; derive_table.h.

#ifndef TESSERA_TESTING_PAIRS_TABLE_DERIVATION_H_
#define TESSERA_TESTING_PAIRS_TABLE_DERIVATION_H_

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/counterparts.h"
#include "tessera/testing/pairs/table/matching.h"
#include "tessera/testing/pairs/table/repacking.h"

namespace tessera::testing::pairs {

// The parts refer to each other: not movable.
struct Derivation {
  Derivation(const Dump& before, const Dump& after)
      : before(before), after(after), m(before, after), became(m), packed(before, m) {}
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

  const Dump& before;
  const Dump& after;
  const Matching m;
  const Counterparts became;
  const Repacking packed;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_DERIVATION_H_
