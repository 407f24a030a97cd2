// What relayout_benchmark measures: permutations of untiled arrays, and copies between tiles.

#ifndef TESSERA_LAYOUT_RELAYOUT_BENCHMARK_CASES_H_
#define TESSERA_LAYOUT_RELAYOUT_BENCHMARK_CASES_H_

#include <cstdint>
#include <vector>

namespace tessera::layout::relayout {

struct BenchmarkCase {
  const char* name;
  const char* what;
  const char* src;
  const char* dst;
  std::vector<int64_t> perm;  // empty for copies between tiles
  double bar = 0;  // what TransposePlan reached of memcpy on such a machine; 0 if unknown
  // Half of the bytes in the cache lines that must be touched on both sides; 0: as many as the
  // data.
  int64_t touched = 0;
};

std::vector<BenchmarkCase> BenchmarkCases();

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_BENCHMARK_CASES_H_
