// The peers of the engine in relayout_benchmark, for permutations of untiled arrays.

#ifndef TESSERA_TESTING_LAYOUT_BENCHMARK_PEERS_H_
#define TESSERA_TESTING_LAYOUT_BENCHMARK_PEERS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/layout/relayout/options.h"

namespace tessera::layout::relayout {

using Work = std::function<void()>;

// A dense array of sizes `dims`, whose dimensions are to come in the order `perm`.
struct PeerCase {
  absl::Span<const int64_t> dims;
  absl::Span<const int64_t> perm;
  int64_t bytes = 4;  // of an element: 1 or 4
  uint8_t* src = nullptr;
  uint8_t* dst = nullptr;
};

// What one writes in five minutes: loops over the destination, its last dimension and the one that
// is last in the source in blocks of 32.
Work BlockedWork(const PeerCase& c);
// oneDNN's reorder.
Work OneDnnWork(const PeerCase& c);

// `count` threads that live as long as the executor.
Executor MakePool(int count);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_TESTING_LAYOUT_BENCHMARK_PEERS_H_
