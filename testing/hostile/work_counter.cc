#include "tessera/testing/hostile/work_counter.h"

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
double Growth(int64_t of, int64_t to) {
  return of <= 0 ? 0.0 : static_cast<double>(to) / static_cast<double>(of);
}

WorkCounter::WorkCounter() : start_(Now()) {}

Work WorkCounter::Now() const { return {allocated_bytes, instructions_.Read()}; }

Work WorkCounter::SoFar() const {
  const Work now = Now();
  return {now.bytes - start_.bytes, now.instructions - start_.instructions};
}

}  // namespace tessera::testing::hostile
