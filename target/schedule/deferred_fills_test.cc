#include "tessera/target/schedule/deferred_fills.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// Kernel k makes value k.
ScopeKernels ScopeOf(const std::vector<std::vector<ValueId>>& reads) {
  ScopeKernels scope;
  for (ValueId k = 0; k < reads.size(); ++k) {
    Kernel kernel;
    kernel.reads.assign(reads[k].begin(), reads[k].end());
    kernel.makes = {k};
    scope.kernels.push_back(std::move(kernel));
  }
  return scope;
}

TEST(DeferFillsTest, AFillGoesInFrontOfItsFirstReader) {
  const ScopeKernels scope = ScopeOf({{}, {}, {1}, {0, 2}, {0}});
  EXPECT_THAT(DeferFills(scope, {0, 1, 2, 3, 4}, {true, false, false, false, false}),
              ElementsAre(1, 2, 0, 3, 4));
}

TEST(DeferFillsTest, AFillThatNothingReadsGoesToTheEnd) {
  EXPECT_THAT(DeferFills(ScopeOf({{}, {}, {1}}), {0, 1, 2}, {true, false, false}),
              ElementsAre(1, 2, 0));
}

}  // namespace
}  // namespace tessera::target
