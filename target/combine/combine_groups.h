// Which collectives of a computation a combiner makes one of.
//
//   CombineLimits limits = {.bytes = 31457287, .count = 2048};
//   for (const std::vector<KernelId>& group : CombineGroups(graph, candidates, limits)) ...
//
// XLA's rule. The computation is scanned in post-order. The first candidate that is left says the
// key; those of its key join it, until one does not fit or needs a result of the group. This ends
// the group, and the scan begins again without it. A candidate that alone is too large is left out.
// With `by_height`, the rule of TPUs: height_groups.h.
//
//   a = sum(x), b = sum(y), c = sum(a + y), d = sum(z)      {a, b}, then {c, d}
//
// The order changes where a group becomes one: all that its members read comes before the first of
// them. Only the stretch between its members is sorted again: kernels in front of it stay, and those
// of the stretch that the group does not read follow in their order.
//
// Cost: linear in the graph for each key. Tested by combine_test.cc, where a slow engine makes the
// whole order and all dependences anew for each group.

#ifndef TESSERA_TARGET_COMBINE_COMBINE_GROUPS_H_
#define TESSERA_TARGET_COMBINE_COMBINE_GROUPS_H_

#include <cstdint>
#include <vector>

#include "tessera/target/combine/kernel_graph.h"

namespace tessera::target {

struct CombineCandidate {
  KernelId kernel = 0;
  int key = 0;  // equal keys may be combined; from 0 on
  int64_t bytes = 0;
};

struct CombineLimits {
  int64_t bytes = 0;  // of a group, and of each candidate in one
  size_t count = 2048;
  bool by_height = false;
};

// Of two members and more, in the order in which they are found; members in post-order.
std::vector<std::vector<KernelId>> CombineGroups(const KernelGraph& graph,
                                                 const std::vector<CombineCandidate>& candidates,
                                                 const CombineLimits& limits);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COMBINE_COMBINE_GROUPS_H_
