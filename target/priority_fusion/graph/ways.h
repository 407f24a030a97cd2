// Which of a few kernels need which, where most do: those of one layer need those of the layers before.
//
//   Ways ways(graph, users);
//   ways.Lead(a, b);                   // b needs the result of a, maybe through others
//   graph.FuseOutputs(a, b), ways.Join(a, b);
//
// Where the list is short, each question is a search. For a longer list one walk over all kernels between its first
// and its last one, operands first, finds what each needs. A kernel needs what its operands need, and those of them
// that are listed. Bits stand for 64 of the list.
//
// Cost: of the walk linear in the kernels between, for every 64 of the list. Tested by ways_test.cc.

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
  Ways(const FusionGraph& graph, std::vector<uint32_t> kernels);

  // Both of the list.
  bool Lead(uint32_t from, uint32_t to);
  // After FuseOutputs() of both.
  void Join(uint32_t kept, uint32_t gone);

 private:
  using Set = std::vector<uint64_t>;  // of the list

  void FindNeeds();
  // Of those that stand at `word` in each set. `indices`: by place from that of the first one on.
  void FindNeeds(size_t word, const std::vector<uint32_t>& indices);
  bool Needs(size_t which, size_t what) const {
    return (needs_[which][what / 64] >> (what % 64) & 1) != 0;
  }
  void AddNeeds(size_t which, const Set& more);

  const FusionGraph& graph_;
  std::vector<uint32_t> kernels_;
  absl::flat_hash_map<uint32_t, size_t>
      index_;               // by kernel, in the list; empty until it is asked for
  std::vector<Set> needs_;  // by index
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_WAYS_H_
