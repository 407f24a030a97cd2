#include "tessera/testing/hostile/work_counter.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
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

// Instructions of this process in user space.
int OpenInstructionCounter() {
  perf_event_attr what;
  std::memset(&what, 0, sizeof(what));
  what.type = PERF_TYPE_HARDWARE;
  what.size = sizeof(what);
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
}

}  // namespace

double Growth(int64_t of, int64_t to) {
  return of <= 0 ? 0.0 : static_cast<double>(to) / static_cast<double>(of);
}

WorkCounter::WorkCounter() : file_(OpenInstructionCounter()) { start_ = Now(); }

WorkCounter::~WorkCounter() {
  if (file_ >= 0) close(file_);
}

Work WorkCounter::Now() const {
  Work work{allocated_bytes, 0};
  if (file_ >= 0 && read(file_, &work.instructions, sizeof(int64_t)) != sizeof(int64_t)) {
    work.instructions = 0;
  }
  return work;
}

Work WorkCounter::SoFar() const {
  const Work now = Now();
  return {now.bytes - start_.bytes, now.instructions - start_.instructions};
}

}  // namespace tessera::testing::hostile
