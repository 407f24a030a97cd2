// Which sums of a computation TPUs combine: those of one key and one height.
//
//   a = sum(x), b = sum(y), c = sum(a + y), d = sum(z)      heights 1, 0, 0, 0: {b, c, d}; a stays alone
//
// Sums of one key have the same devices, element type and reduction (passes/collective_combiners.cc). The height of a
// sum is the length of the longest chain of sums of its key that depend on it. So sums of one height need none of each
// other. In post-order each joins the first set of its height that has room, or begins another one. A sum that is
// larger than a set stays alone. Keys follow in their order, each on the graph in which the sets of the keys before are
// one kernel.
// Read from the log of libtpu's all-reduce-combiner ("Adding instruction to set 0 of height 1").
//
// Cost: linear in the graph for each key, and in the sums times the sets of a height. Tested by combine_test.cc, where
// a slow engine follows every path.

#ifndef TESSERA_TARGET_COMBINE_HEIGHT_GROUPS_H_
#define TESSERA_TARGET_COMBINE_HEIGHT_GROUPS_H_

#include <vector>

#include "tessera/target/combine/combine_groups.h"

namespace tessera::target {

// As CombineGroups(): of two members and more, members in post-order.
std::vector<std::vector<KernelId>> GroupsByHeight(KernelGraph graph,
                                                  const std::vector<CombineCandidate>& candidates,
                                                  const CombineLimits& limits);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COMBINE_HEIGHT_GROUPS_H_
