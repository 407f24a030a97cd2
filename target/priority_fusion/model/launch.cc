#include "tessera/target/priority_fusion/model/launch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

constexpr int64_t kThreads = 256, kMostThreads = 1024, kOfThread = 16;

Launch Of(int64_t blocks, int64_t threads) {
  return {static_cast<double>(std::max<int64_t>(1, blocks)), static_cast<double>(threads)};
}

// As many rows a block as it has room for.
Launch Rows(int64_t rows, int64_t threads_of_row) {
  int64_t at_once = 1;
  if (2 * threads_of_row <= kThreads) {
    at_once = std::max<int64_t>(1, std::min(rows, kThreads / threads_of_row));
  }
  return Of(CeilDiv(rows, at_once), at_once * threads_of_row);
}

// Elements that a thread of a column reads at once.
int64_t VectorSize(int64_t columns, int bits) {
  if (columns % 2 != 0 || 2 * kWarp > columns) return 1;
  if (bits >= 32 || 4 * kWarp > columns) return 2;
  return columns % 4 == 0 ? 4 : 2;
}

Launch LaunchOfReduction(const OpFacts& reduce, int bits) {
  int64_t kept = 1;
  for (const auto& [is_reduced, size] : reduce.runs) kept *= is_reduced ? 1 : size;
  const auto [is_row, minor] = reduce.runs.back();
  if (!is_row) {
    return Of(kept / minor * CeilDiv(minor, kWarp * VectorSize(minor, bits)), kMostThreads);
  }
  // Threads of short rows read several elements only where that leaves blocks for all cores, and
  // then their number changes nothing.
  if (kWarp % minor == 0 && minor < kWarp) return Rows(kept, minor);
  const int64_t warps = CeilDiv(CeilDiv(minor, kOfThread), kWarp);
  return Rows(kept, std::min(kMostThreads, warps * kWarp));
}

}  // namespace

Launch LaunchOf(const OpFacts& result, const OpFacts* tiled, int bits) {
  constexpr double kMany = 2048.0 * 132, kThreadsOfLoop = 128;  // of all cores
  if (tiled != nullptr && tiled->is_tiled_reduce) return LaunchOfReduction(*tiled, bits);
  if (tiled != nullptr) return {tiled->tiles, kThreadsOfLoop};
  const double elements = result.looped_elements;
  const double threads = std::ceil(elements / (elements >= kMany ? 4 : 1));
  return {std::max(1.0, std::ceil(threads / kThreadsOfLoop)),
          std::max(1.0, std::min(threads, kThreadsOfLoop))};
}

}  // namespace tessera::target
