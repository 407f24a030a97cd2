#include "tessera/cost/sweep/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tessera::cost {

int NumCores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void ForEachIndex(size_t count, int threads, absl::FunctionRef<void(size_t)> work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t k = next++; k < count; k = next++) work(k);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads && static_cast<size_t>(t) < count; ++t) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace tessera::cost
