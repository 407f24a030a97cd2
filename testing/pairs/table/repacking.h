// Where the pass packs anew: which leaf after it each leaf of a loop's state, or of a branch's
// operand, became.
//
//   Repacking packed(before, matching);
//   packed.Loop(c, x, y);      // leaves of the state of while x, in that of y
//   packed.Branch(branch);     // leaves of the operand of a branch

#ifndef TESSERA_TESTING_PAIRS_TABLE_REPACKING_H_
#define TESSERA_TESTING_PAIRS_TABLE_REPACKING_H_

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/leaf_shardings.h"
#include "tessera/testing/pairs/table/matching.h"

namespace tessera::testing::pairs {

class Repacking {
 public:
  Repacking(const Dump& before, const Matching& matching) : before_(before), m_(matching) {}

  // Leaves that change are the same in order; the others are what the body and the condition read.
  PathMap Loop(const Computation& c, const Instruction& x, const Place& y) const;
  PathMap Branch(const Computation& branch) const;

 private:
  void AddParameterLeaves(const Computation& region, PathMap* map) const;

  const Dump& before_;
  const Matching& m_;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_REPACKING_H_
