// Which of a few kernels need which, where most do: those of one layer need those of the layers before.
//
//   Ways ways(graph, users);
//   ways.Lead(a, b);       // b needs the result of a, maybe through others
//
// A search for a way ends at a kernel of the list to which a is known to lead, and every one that it meets is
// kept. A way that was found stays one when kernels become one.
//
// Cost: a search for two neighbours in a row, a word for every 64 kernels of the list otherwise. Tested by
// ways_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GRAPH_WAYS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GRAPH_WAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

class Ways {
 public:
  // Reads the graph as long as it is there. Each kernel stands once.
  Ways(const FusionGraph& graph, const std::vector<uint32_t>& kernels);

  // Both of the list.
  bool Lead(uint32_t from, uint32_t to);

 private:
  using Set = std::vector<uint64_t>;  // of the list

  static bool Has(const Set& set, size_t k) { return (set[k / 64] >> (k % 64) & 1) != 0; }
  static void Put(size_t k, Set* set) { (*set)[k / 64] |= uint64_t{1} << (k % 64); }
  bool IsKnown(size_t from, size_t to) const;
  void Keep(size_t from, size_t to);

  const FusionGraph& graph_;
  std::vector<bool> is_listed_;                  // by kernel: a search meets many that are not
  absl::flat_hash_map<uint32_t, size_t> index_;  // by kernel, in the list
  std::vector<Set> behind_, before_;             // known ways, by index
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_WAYS_H_
