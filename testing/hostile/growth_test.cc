// A module twice as large takes twice the work. Work is what the machine counts, not the clock:
// bytes and number of allocations, and instructions of the CPU where the kernel counts them for a
// test. The first alone sees tables and lists that grow too fast; only the last sees loops that
// look at everything again.
//
//   growth = work(4n) / work(n)     4 for linear; 5.5 is allowed (n log n, tables that double)

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

absl::StatusOr<Work> WorkOf(const std::string& text, bool as_passed) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  if (!module.ok()) return module.status();
  pipeline::ShardOptions options;
  if (as_passed) options.stage = pipeline::Stage::kPass;
  const WorkCounter counter;
  const auto result = pipeline::ShardModule(*std::move(module), options);
  if (!result.ok()) return result.status();
  return counter.SoFar();
}

TEST(GrowthTest, WorkIsLinear) {
  for (const Generator& generator : Generators()) {
    const auto small = WorkOf(generator.make(generator.n), generator.as_passed);
    const auto large = WorkOf(generator.make(4 * generator.n), generator.as_passed);
    ASSERT_TRUE(small.ok()) << generator.name << ": " << small.status();
    ASSERT_TRUE(large.ok()) << generator.name << ": " << large.status();
    EXPECT_LE(Growth(small->bytes, large->bytes), kMaxGrowth) << generator.name << ", bytes";
    EXPECT_LE(Growth(small->instructions, large->instructions), kMaxGrowth)
        << generator.name << ", instructions";
  }
}

}  // namespace
}  // namespace tessera::testing::hostile
