// The shardings that a text shows, leaf by leaf.
//
//   LeavesOf(%t = (f32[2], f32[4]) tuple(..), sharding={{devices=[2]0,1}, {replicated}});
//   // {0} {devices=[2]0,1}, {1} {replicated}
//
// A value of the source shows what another one after the pass does: leaf for leaf in order, or by
// a map where the pass packed anew.

#ifndef TESSERA_TESTING_PAIRS_TABLE_LEAF_SHARDINGS_H_
#define TESSERA_TESTING_PAIRS_TABLE_LEAF_SHARDINGS_H_

#include <map>
#include <optional>
#include <string>

#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {

inline constexpr char kReplicated[] = "{replicated}";

bool IsTuple(const Instruction& i);

// The sharding of every leaf; empty texts for none.
LeafShardings LeavesOf(const Instruction& i);
// Nothing if there is no such leaf.
std::optional<std::string> LeafOf(const Instruction& i, const Path& path);
bool SomeSharding(const LeafShardings& leaves);

// Leaves before and what they became.
using PathMap = std::map<Path, Path>;

// The leaves of `x` as `y` shows those that they became. What is gone from a tuple with shardings
// is {replicated}.
LeafShardings ByMap(const Instruction& x, const Instruction& y, const PathMap& map);
// The leaves of both in order; where y has more, the state of a random generator stands in front.
LeafShardings InOrder(const Instruction& x, const Instruction& y);

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_LEAF_SHARDINGS_H_
