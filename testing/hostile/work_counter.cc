#include "tessera/testing/hostile/work_counter.h"

#include <time.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int64_t> allocated_bytes{0};
}  // namespace

void* operator new(size_t size) {
  allocated_bytes += static_cast<int64_t>(size);
  if (void* const place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, size_t) noexcept { std::free(place); }

namespace tessera::testing::hostile {
namespace {

int64_t CpuTime() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

WorkCounter::WorkCounter() : start_(Now()) {}

Work WorkCounter::Now() const { return {allocated_bytes, instructions_.Read(), CpuTime()}; }

Work WorkCounter::SoFar() const {
  const Work now = Now();
  return {now.bytes - start_.bytes, now.instructions - start_.instructions,
          now.cpu_time - start_.cpu_time};
}

}  // namespace tessera::testing::hostile
