// The live instructions of a computation: those that its root needs, and side effects beside it.

#ifndef TESSERA_TESTING_PAIRS_EFFECTS_H_
#define TESSERA_TESTING_PAIRS_EFFECTS_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {

// The root, its operands, theirs, and so on.
absl::flat_hash_set<const Instruction*> NeededByRoot(const Computation& c);

// Instructions of `c` in `dump` with side effects that the root does not need, in order. The effect
// may be inside of a loop, a conditional or a call.
std::vector<const Instruction*> LooseEffects(const Dump& dump, const Computation& c);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_EFFECTS_H_
