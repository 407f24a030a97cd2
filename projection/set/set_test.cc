// Sets against sets of points.
#include "tessera/projection/set/set.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/runs.h"
#include "tessera/testing/projection/enumerate.h"

namespace tessera::projection {
namespace {

std::vector<ZRange> RandomBoxes(std::mt19937& random, int rank) {
  std::vector<ZRange> out;
  for (int n = static_cast<int>(random() % 4); n >= 0; --n)
    out.push_back(RandomBlock(random, rank));
  return out;
}

TEST(SetTest, AlgebraAgreesWithPoints) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const int rank = static_cast<int>(random() % 4);
    const ZSet a = *ZSet::OfBoxes(rank, RandomBoxes(random, rank)),
               b = *ZSet::OfBoxes(rank, RandomBoxes(random, rank));
    const Points pa = PointsOf(a), pb = PointsOf(b);
    Points united = pa, common, rest;
    united.insert(pb.begin(), pb.end());
    std::set_intersection(pa.begin(), pa.end(), pb.begin(), pb.end(),
                          std::inserter(common, common.end()));
    std::set_difference(pa.begin(), pa.end(), pb.begin(), pb.end(),
                        std::inserter(rest, rest.end()));
    EXPECT_EQ(PointsOf(*a.Union(b)), united);
    EXPECT_EQ(PointsOf(*a.Intersect(b)), common);
    EXPECT_EQ(PointsOf(*a.Subtract(b)), rest);
    EXPECT_EQ(*a.Union(b)->size(), static_cast<int64_t>(united.size()));
    EXPECT_EQ(a == b, pa == pb);
    EXPECT_EQ(static_cast<int64_t>(a.Slabs()->size()), *a.num_slabs());
  }
}

TEST(SetTest, EqualSetsHaveOneForm) {
  const ZSet a =
      *ZSet::OfBoxes(2, {*ZRange::Parse("zr[0:2, 0:2]"), *ZRange::Parse("zr[0:2, 2:4]")});
  EXPECT_EQ(a, ZSet::OfBox(*ZRange::Parse("zr[0:2, 0:4]")));
  EXPECT_NE(a.product(), nullptr);
}

TEST(SetTest, TooManyPiecesIsAnError) {
  const ZSet comb =
      ZSet::OfAxes({AxisSet::OfComb({0, 2, 1000, 1}), AxisSet::OfComb({0, 2, 1000, 1})});
  EXPECT_EQ(*comb.size(), 1000000);
  EXPECT_EQ(ErrorCodeOf(comb.Slabs().status()), ErrorCode::kTooLarge);
}

TEST(AxisSetTest, ProgressionsAgreeWithPoints) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    AxisSet set =
        AxisSet::OfComb({static_cast<int>(random() % 5), 1 + static_cast<int>(random() % 4),
                         1 + static_cast<int>(random() % 3), 1});
    const int64_t stride = static_cast<int>(random() % 13) - 6,
                  count = 1 + static_cast<int>(random() % 4);
    std::set<int64_t> expected;
    for (int64_t p = -100; p < 100; ++p) {
      for (int64_t k = 0; k < count; ++k) {
        if (set.Contains(p)) expected.insert(p + k * stride);
      }
    }
    set = *set.AddProgression(stride, count);
    for (int64_t p = -100; p < 100; ++p) EXPECT_EQ(set.Contains(p), expected.count(p) > 0);
    EXPECT_EQ(*set.size(), static_cast<int64_t>(expected.size()));
    const int64_t dilate = 1 + static_cast<int>(random() % 3);
    const AxisSet kept = *set.Undilate(dilate);
    for (int64_t p = -30; p < 30; ++p) EXPECT_EQ(kept.Contains(p), expected.count(p * dilate) > 0);
  }
}

TEST(RunsTest, BoxesAndRunsAreInverse) {
  const ZPoint shape = {3, 4, 2};
  ForEachCell(*ZRange::Create({0, 1}, {24, 25}), [&](const ZPoint& run) {
    if (run[0] + run[1] > 24) return true;
    const std::vector<ZRange> boxes = *BoxesOfRun({run[0], run[1]}, shape);
    EXPECT_LE(boxes.size(), 5u);
    const ZSet set = *ZSet::OfBoxes(3, boxes);
    EXPECT_EQ(*set.Slabs(), boxes);
    int64_t at = run[0];
    for (const ZRange& box : boxes) {
      const std::vector<projection::Run> parts = *RunsOfBox(box, shape);
      for (const projection::Run part : parts) {
        EXPECT_EQ(part.first, at);
        at += part.length;
      }
    }
    EXPECT_EQ(at, run[0] + run[1]);
    return true;
  });
}

}  // namespace
}  // namespace tessera::projection
