#include "tessera/projection/map/algebra/phases.h"

#include <random>

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/enumerate.h"

namespace tessera::projection {
namespace {

ZRange R(const char* text) { return *ZRange::Parse(text); }

ZProjection Window(int64_t stride, int64_t size, int64_t step) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix::Diagonal({stride});
  spec.shape = {size};
  spec.step = {step};
  spec.policy = OutOfBoundsPolicy::kDrop;
  spec.extent = ZPoint{20};
  return *ZProjection::Create(spec);
}

TEST(PhasesTest, DilationEqualToTheStrideSharesNothing) {
  const ZProjection p = Window(1, 3, 2);  // x, x + 2, x + 4
  const std::vector<StridePhase> phases = *SplitPhases(p, R("zr[0:8]"), 0, 2);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[1].views[0].stride, 2);
  EXPECT_EQ(phases[1].views[0].phase, 1);
  EXPECT_EQ(phases[1].projection.matrix()(0, 0), 1);  // dense in the view
  EXPECT_EQ(phases[1].projection.step()[0], 1);
  std::vector<ZSet> read;
  for (const StridePhase& phase : phases)
    read.push_back(*ThroughView(phase.views, *phase.projection.Image(phase.index)));
  EXPECT_TRUE(read[0].Intersect(read[1])->empty());
  EXPECT_EQ(*read[0].Union(read[1]), *p.Image(R("zr[0:8]")));
}

TEST(PhasesTest, IndicesInterleave) {
  const std::vector<StridePhase> phases = *SplitPhases(Window(2, 1, 1), R("zr[3:8]"), 0, 3);
  Points fused;
  for (const StridePhase& phase : phases) {
    ForEachCell(phase.index,
                [&](const ZPoint& q) { return fused.insert(*FusedIndex(phase, 0, 3, q)), true; });
  }
  EXPECT_EQ(fused, PointsOf(ZSet::OfBox(R("zr[3:8]"))));
}

// Every index of every phase reads the same cells as the index that it stands for.
TEST(PhasesTest, ImagesAreEqualBeforeAndAfter) {
  std::mt19937 random(8);
  for (int round = 0; round < 400; ++round) {
    ProjectionSpec spec = RandomProjection(random).spec();
    spec.groups = {};
    const ZProjection p = *ZProjection::Create(spec);
    const ZRange block = RandomBlock(random, p.index_rank());
    if (p.index_rank() == 0 || block.empty()) continue;
    const int64_t stride = 1 + round % 3;
    const std::vector<StridePhase> phases = *SplitPhases(p, block, 0, stride);
    for (const StridePhase& phase : phases) {
      ForEachCell(phase.index, [&](const ZPoint& q) {
        const ZRange at = *ZRange::Create(q, *q.Plus(ZPoint::Filled(q.rank(), 1)));
        const ZPoint x = *FusedIndex(phase, 0, stride, q);
        const ZRange whole = *ZRange::Create(x, *x.Plus(ZPoint::Filled(x.rank(), 1)));
        const absl::StatusOr<ZSet> expected = p.Image(whole), seen = phase.projection.Image(at);
        EXPECT_EQ(seen.ok(), expected.ok()) << p.ToString();
        if (seen.ok() && expected.ok()) {
          EXPECT_EQ(PointsOf(*ThroughView(phase.views, *seen)), PointsOf(*expected))
              << p.ToString();
        }
        return true;
      });
    }
  }
}

TEST(PhasesTest, Mistakes) {
  EXPECT_EQ(ErrorCodeOf(SplitPhases(Window(1, 1, 1), R("zr[0:4]"), 1, 2).status()),
            ErrorCode::kBadDim);
  EXPECT_EQ(ErrorCodeOf(SplitPhases(Window(1, 1, 1), R("zr[0:4]"), 0, 0).status()),
            ErrorCode::kBadChunk);
}

}  // namespace
}  // namespace tessera::projection
