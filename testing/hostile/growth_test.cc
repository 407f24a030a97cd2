// Sharding takes four times the work, and not much more, for a module four times as large
// (growth_check.h says what work is). Bytes alone see tables and lists that grow too fast; only
// instructions see loops that look at everything again.

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/growth_check.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

Work WorkOf(const std::string& text, bool as_passed) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  pipeline::ShardOptions options;
  if (as_passed) options.stage = pipeline::Stage::kPass;
  const WorkCounter counter;
  const auto result = pipeline::ShardModule(*std::move(module), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return counter.SoFar();
}

TEST(GrowthTest, WorkIsLinear) {
  for (const Generator& generator : Generators()) {
    const std::string small = generator.make(generator.n);
    const std::string large = generator.make(4 * generator.n);
    EXPECT_TRUE(GrowsAtMost(
        generator.most, [&] { return WorkOf(small, generator.as_passed); },
        [&] { return WorkOf(large, generator.as_passed); }))
        << generator.name;
  }
}

}  // namespace
}  // namespace tessera::testing::hostile
