// The cases of relayout_benchmark: permutations of untiled arrays, and copies between tiles.

#ifndef TESSERA_TESTING_LAYOUT_BENCHMARK_CASES_H_
#define TESSERA_TESTING_LAYOUT_BENCHMARK_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::layout::relayout {

struct BenchmarkCase {
  std::string name;  // "f32.4": type and number; "T3" of the tiled ones, "S1" of those in cache
  std::string what;
  std::string src;
  std::string dst;
  std::vector<int64_t> perm;  // empty for copies between tiles
  double bar = 0;  // what TransposePlan reached of memcpy on such a machine; 0 if unknown
  // Half of the bytes in the cache lines that must be touched on both sides; 0: as many as the
  // data.
  int64_t touched = 0;
};

std::vector<BenchmarkCase> BenchmarkCases();

}  // namespace tessera::layout::relayout

#endif  // TESSERA_TESTING_LAYOUT_BENCHMARK_CASES_H_
