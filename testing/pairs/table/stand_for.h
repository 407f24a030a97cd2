// Could one instruction be the other's counterpart after the pass? The exact comparison is another
// check's, structure.h.

#ifndef TESSERA_TESTING_PAIRS_TABLE_STAND_FOR_H_
#define TESSERA_TESTING_PAIRS_TABLE_STAND_FOR_H_

#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

// `y`, after the pass, may stand for `x`.
bool MayStandFor(const Instruction& x, const Instruction& y);

// A conversion to pred, which became a comparison with zero.
bool IsTruthTest(const Instruction& x, const Instruction& y);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_STAND_FOR_H_
