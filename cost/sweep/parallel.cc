#include "tessera/cost/sweep/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "tessera/cost/sweep/cpu_limit.h"

namespace tessera::cost {
namespace {

// As many threads up to `most` as there is room for; the others are done without.
template <typename Run>
void Start(size_t most, const Run& run, std::vector<std::thread>* threads) {
  try {
    threads->reserve(most);
    while (threads->size() < most) threads->emplace_back(run);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

int NumCores() {
  int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (const int limit : {CpuLimit(), CpusOfAffinity()}) {
    if (limit > 0) cores = std::min(cores, limit);
  }
  return cores;
}

int NumThreads(int64_t jobs) {
  constexpr int64_t kMost = 4096;
  return jobs > 0 ? static_cast<int>(std::min(jobs, kMost)) : NumCores();
}

void ForEachIndex(size_t count, int threads, absl::FunctionRef<void(size_t)> work) {
  if (count == 0) return;
  std::atomic<size_t> next{0};
  std::atomic_flag has_thrown = ATOMIC_FLAG_INIT;
  std::exception_ptr thrown;
  const auto run = [&] {
    try {
      for (size_t k = next++; k < count; k = next++) work(k);
    } catch (...) {
      next = count;
      if (!has_thrown.test_and_set()) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  Start(std::min(count, static_cast<size_t>(std::max(threads, 1))) - 1, run, &others);
  run();
  for (std::thread& other : others) other.join();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace tessera::cost
