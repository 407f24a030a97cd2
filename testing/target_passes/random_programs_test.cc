// Passes of targets do not change what random programs compute.

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/verifier.h"
#include "tessera/target/target.h"
#include "tessera/testing/target_passes/random/random_ops.h"
#include "tessera/testing/target_passes/same_results.h"

namespace tessera::target {
namespace {

using testing::random_programs::RandomProgram;

constexpr int64_t kOperations = 14;

class RandomProgramsTest : public ::testing::TestWithParam<const char*> {
 protected:
  // False if the program cannot be run.
  static bool Compare(unsigned seed) {
    SCOPED_TRACE(seed);
    const std::string text = RandomProgram(seed, kOperations);
    const auto module = hlo::ParseModule(text);
    EXPECT_TRUE(module.ok() && hlo::VerifyModule(*module).ok()) << module.status() << text;
    if (!module.ok()) return false;
    const absl::Status same = SameResults(*module, *ParseTarget(GetParam()));
    if (absl::IsUnimplemented(same) || absl::IsResourceExhausted(same)) return false;
    EXPECT_TRUE(same.ok()) << same << text;
    return true;
  }
};

TEST_P(RandomProgramsTest, ComputeTheSame) {
  constexpr unsigned kSeeds = 150;
  unsigned compared = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) compared += Compare(seed) ? 1 : 0;
  EXPECT_GT(compared, kSeeds * 9 / 10);
}

// Each of them was once changed by a pass.
TEST_P(RandomProgramsTest, FoundBefore) {
  for (const unsigned seed : {2788U, 3909U, 5089U, 5736U, 5986U, 6697U, 12348U, 21595U})
    EXPECT_TRUE(Compare(seed));
}

INSTANTIATE_TEST_SUITE_P(All, RandomProgramsTest,
                         ::testing::Values("h100:4", "tpu-v5e:2x2", "tpu-v6e:2x2"),
                         [](const auto& row) {
                           std::string name = row.param;
                           return name.substr(0, name.find_first_of(":-")) +
                                  std::to_string(row.index);
                         });

}  // namespace
}  // namespace tessera::target
