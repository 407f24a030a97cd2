#include "tessera/target/buffers/array_names.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/buffers/live_spans.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

TEST(ArrayNamesTest, APhiLiesWhereItsArrayLies) {
  ArrayNames names;
  const ValueId v = names.Add(/*origin=*/0, /*maker=*/3);
  const std::vector<ValueId> phis = names.Continued({v}, /*at=*/5);
  EXPECT_EQ(names.Home(phis[0]), v);
  EXPECT_EQ(names.Same(phis[0]), phis[0]);
  names.Equate(phis[0], v);
  EXPECT_EQ(names.Same(phis[0]), v);
  LiveValues live;
  std::move(names).GiveTo(&live);
  EXPECT_THAT(live.home, ElementsAre(v, v));
  EXPECT_THAT(live.makers, ElementsAre(3, 5));
}

TEST(LiveSpansTest, SpansThatMeetAreOne) {
  std::vector<LiveSpan> spans = {{7, 3, 5}, {7, 0, 3}, {4, 1, 2}, {7, 9, 9}};
  MergeSpans(&spans);
  ASSERT_EQ(spans.size(), 3);
  EXPECT_EQ(spans[0].value, 7);
  EXPECT_EQ(spans[0].last, 5);
  EXPECT_EQ(spans[1].value, 4);
  EXPECT_EQ(spans[2].first, 9);
}

}  // namespace
}  // namespace tessera::target
