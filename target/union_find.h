// The step that every union-find forest of this package is made of.
//
//   std::vector<uint32_t> parents = {0, 0, 1};    // 0 <- 1 <- 2
//   RootOf(2, &parents);                          // 0, and the way from 2 is half as long now
//
// Who joins two trees says which root stays: parents[RootOf(a, &parents)] = RootOf(b, &parents). Cost:
// logarithmic, over many steps. Tested by the tests of its users (dataflow_test.cc, device_buffers_test.cc).

#ifndef TESSERA_TARGET_UNION_FIND_H_
#define TESSERA_TARGET_UNION_FIND_H_

#include <cstdint>
#include <vector>

namespace tessera::target {

// A root is its own parent.
inline uint32_t RootOf(uint32_t node, std::vector<uint32_t>* parents) {
  std::vector<uint32_t>& parent = *parents;
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

}  // namespace tessera::target

#endif  // TESSERA_TARGET_UNION_FIND_H_
