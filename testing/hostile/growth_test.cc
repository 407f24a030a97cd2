// A module twice as large takes twice the work. Work is what the machine counts, not the clock:
// bytes and number of allocations, and instructions of the CPU where the kernel counts them for a
// test. The first alone sees tables and lists that grow too fast; only the last sees loops that
// look at everything again.
//
//   growth = work(4n) / work(n)     4 for linear; 5.5 is allowed (n log n, tables that double)

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/testing/hostile/generators.h"

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

constexpr double kMaxGrowth = 5.5;

// Instructions that this thread executes in user space; -1 where they cannot be counted.
class InstructionCounter {
 public:
  InstructionCounter() {
    perf_event_attr what;
    std::memset(&what, 0, sizeof(what));
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof(what);
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
  }
  ~InstructionCounter() {
    if (file_ >= 0) close(file_);
  }
  int64_t Now() const {
    int64_t count = 0;
    const bool good = file_ >= 0 && read(file_, &count, sizeof(count)) == sizeof(count);
    return good ? count : -1;
  }

 private:
  int file_ = -1;
};

struct Work {
  int64_t bytes = 0;
  int64_t instructions = 0;
};

absl::StatusOr<Work> WorkOf(const std::string& text, bool as_passed) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  if (!module.ok()) return module.status();
  pipeline::ShardOptions options;
  if (as_passed) options.stage = pipeline::Stage::kPass;
  const InstructionCounter counter;
  const Work before = {allocated_bytes, counter.Now()};
  const auto result = pipeline::ShardModule(*std::move(module), options);
  if (!result.ok()) return result.status();
  return Work{allocated_bytes - before.bytes, counter.Now() - before.instructions};
}

TEST(GrowthTest, WorkIsLinear) {
  for (const Generator& generator : Generators()) {
    const auto small = WorkOf(generator.make(generator.n), generator.as_passed);
    const auto large = WorkOf(generator.make(4 * generator.n), generator.as_passed);
    ASSERT_TRUE(small.ok()) << generator.name << ": " << small.status();
    ASSERT_TRUE(large.ok()) << generator.name << ": " << large.status();
    const auto growth = [](int64_t of, int64_t to) {
      return of <= 0 ? 0.0 : static_cast<double>(to) / static_cast<double>(of);
    };
    EXPECT_LE(growth(small->bytes, large->bytes), kMaxGrowth) << generator.name << ", bytes";
    EXPECT_LE(growth(small->instructions, large->instructions), kMaxGrowth)
        << generator.name << ", instructions";
  }
}

}  // namespace
}  // namespace tessera::testing::hostile
