#include "tessera/layout/relayout/plan/nest.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::layout::relayout {
namespace {

using ::testing::ElementsAre;

Nest NestOf(int64_t bits, Loops loops) {
  Nest nest;
  nest.src_bits = nest.dst_bits = bits;
  nest.loops = std::move(loops);
  CleanUp(&nest);
  return nest;
}

TEST(NestTest, MergesWidensAndSorts) {
  const Nest pairs = NestOf(16, {{64, 32, 64}, {2, 16, 16}, {1, 5, 7}});
  EXPECT_EQ(pairs.src_bits, 32);
  EXPECT_THAT(pairs.loops, ElementsAre(Loop{64, 32, 64}));
  const Nest whole = NestOf(8, {{3, 160, 160}, {4, 40, 40}, {5, 8, 8}});
  EXPECT_EQ(whole.dst_bits, 480);
  EXPECT_TRUE(whole.loops.empty());
  const Nest transposed = NestOf(8, {{3, 8, 32}, {4, 24, 8}});
  EXPECT_THAT(transposed.loops, ElementsAre(Loop{3, 8, 32}, Loop{4, 24, 8}));
}

TEST(NestTest, RepackedElementsStayAlone) {
  Nest nest;
  nest.src_bits = 4;
  nest.loops = {{6, 4, 8}};
  CleanUp(&nest);
  EXPECT_EQ(nest.src_bits, 4);
  EXPECT_EQ(TripCount(nest.loops), 6);
  EXPECT_FALSE(InWholeBytes(nest));
}

}  // namespace
}  // namespace tessera::layout::relayout
