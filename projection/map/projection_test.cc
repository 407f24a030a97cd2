#include "tessera/projection/map/projection.h"

#include <random>

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/inverse/inverse.h"
#include "tessera/projection/map/reads.h"
#include "tessera/testing/projection/compose.h"
#include "tessera/testing/projection/enumerate.h"
#include "tessera/testing/projection/inverse_box.h"
#include "tessera/testing/projection/overlap.h"
#include "tessera/testing/projection/rewrites.h"
#include "tessera/testing/projection/write_check.h"

namespace tessera::projection {
namespace {

ZRange R(const char* text) { return *ZRange::Parse(text); }

TEST(ProjectionTest, ImagesAgreeWithEnumeration) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const ZProjection p = RandomProjection(random);
    const ZRange block = RandomBlock(random, p.index_rank());
    const std::optional<Points> expected = ImageByCells(p, block);
    const absl::StatusOr<ZSet> image = p.Image(block);
    ASSERT_EQ(image.ok(), expected.has_value())
        << p.ToString() << block.ToString() << image.status();
    if (!image.ok()) {
      EXPECT_EQ(ErrorCodeOf(image.status()), ErrorCode::kOutOfBounds);
      continue;
    }
    EXPECT_EQ(PointsOf(*image), *expected) << p.ToString() << block.ToString();
    EXPECT_EQ(*p.Bounding(block), image->bounding()) << p.ToString() << block.ToString();
  }
}

TEST(ProjectionTest, EachRowTakesItsOwnCorner) {
  const ZProjection p = *ZProjection::Plain(*ZMatrix::Create({{1, -1}}, 2), {0}, {1});
  EXPECT_EQ(*p.UnclippedBounding(R("zr[0:3, 0:3]")), R("zr[-2:3]"));
}

TEST(ProjectionTest, FixedViewIsTheSameEverywhere) {
  const ZProjection p = *ZProjection::Plain(ZMatrix(2, 2), {1, 0}, {2, 4});
  for (const ZPoint& x : {ZPoint{0, 0}, ZPoint{5, 9}}) EXPECT_EQ(*p.Region(x), R("zr[1:3, 0:4]"));
  EXPECT_EQ(StepOverlap(p, 0)->sharing, Sharing::kTotal);
}

TEST(ProjectionTest, LinearAndNegativeStrides) {
  const ZProjection forward = *ZProjection::Plain(ZMatrix::Diagonal({1}), {0}, {1});
  const ZProjection backward = *ReverseIndexAxis(forward, 0, 5);
  EXPECT_EQ(*forward.Region({1}), R("zr[1:2]"));
  EXPECT_EQ(*backward.Region({1}), R("zr[3:4]"));
}

TEST(ProjectionTest, TextOfTheTriple) {
  const ZProjection p = *ZProjection::Plain(*ZMatrix::Create({{1, 0}, {0, 2}}, 2), {-1, 0}, {1, 2});
  EXPECT_EQ(p.ToString(), "ipf(affineMap=λx.[[1,0],[0,2]]⋅x + [-1,0], shape=[1, 2])");
}

TEST(ProjectionTest, BadPartsAreErrors) {
  EXPECT_EQ(ErrorCodeOf(ZProjection::Plain(ZMatrix::Identity(1), {0}, {0}).status()),
            ErrorCode::kBadShape);
  EXPECT_EQ(ZProjection::Plain(ZMatrix::Identity(3), {0, 0, 0}, {1, 1}).status().message(),
            "projection rank 3 != shape rank 2");
  const ZProjection far = *ZProjection::Plain(ZMatrix::Diagonal({INT64_MAX}), {0}, {1});
  EXPECT_EQ(ErrorCodeOf(far.Image(R("zr[0:3]")).status()), ErrorCode::kOverflow);
  EXPECT_EQ(ErrorCodeOf(far.Image(R("zr[0:3, 0:1]")).status()), ErrorCode::kRankMismatch);
}

TEST(ProjectionTest, ForbiddenReadsNameTheFirstIndex) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix::Identity(1);
  spec.offsets.Set(OffsetRole::kRelative, {-1});
  spec.shape = {3};
  spec.extent = ZPoint{4};
  const absl::Status status = ZProjection::Create(spec)->Image(R("zr[1:4]")).status();
  EXPECT_EQ(status.message(), "cell 4 is outside [0, 4), policy forbid, first at index [3]");
}

TEST(ComposeTest, BoxAndChainAgreeWithEnumeration) {
  std::mt19937 random(4);
  for (int round = 0; round < 600; ++round) {
    ProjectionSpec first = RandomProjection(random).spec(),
                   second = RandomProjection(random).spec();
    first.extent = second.extent = std::nullopt;
    first.groups = second.groups = {};
    first.dilate = second.dilate = {};
    first.step = {};
    if (round % 2 == 0) second.step = {};
    const ZProjection f = *ZProjection::Create(first), g = *ZProjection::Create(second);
    if (f.tensor_rank() != g.index_rank()) continue;
    const ZRange block = RandomBlock(random, f.index_rank());
    Points expected;
    const Points between = *ImageByCells(f, block);
    for (const ZPoint& y : between) {
      const Points region = *RegionByCells(g, y);
      expected.insert(region.begin(), region.end());
    }
    EXPECT_EQ(PointsOf(*ImageOfChain(*ComposeExactly(f, g), block)), expected)
        << f.ToString() << g.ToString();
    if (!f.IsPlain() || !g.IsPlain() || block.empty()) continue;
    const ZProjection both = *Compose(f, g);
    const ZPoint x = block.start();
    EXPECT_EQ(*both.Region(x), *g.UnclippedBounding(*f.Region(x)));
    if (CompositionIsExact(f, g)) {
      EXPECT_EQ(*both.Region(x)->size(),
                static_cast<int64_t>(PointsOf(*g.Image(*f.Region(x))).size()));
    }
  }
}

TEST(InverseTest, AgreesWithEnumeration) {
  std::mt19937 random(5);
  for (int round = 0; round < 1500; ++round) {
    ProjectionSpec spec = RandomProjection(random).spec();
    spec.extent = std::nullopt;
    const ZProjection p = *ZProjection::Create(spec);
    const ZRange range = RandomBlock(random, p.index_rank()),
                 target = RandomBlock(random, p.tensor_rank());
    Points touch, inside;
    ForEachCell(range, [&](const ZPoint& x) {
      bool meets = false, within = true;
      const Points region = *RegionByCells(p, x);
      for (const ZPoint& cell : region)
        (target.Contains(cell) ? meets : within) = target.Contains(cell);
      if (meets) touch.insert(x);
      if (within) inside.insert(x);
      return true;
    });
    EXPECT_EQ(PointsOf(*InverseImage(p, target, range, InverseKind::kTouch)), touch)
        << p.ToString() << target.ToString();
    if (!p.IsPlain() || target.empty()) continue;
    EXPECT_EQ(PointsOf(*InverseImage(p, target, range, InverseKind::kInside)), inside)
        << p.ToString();
    const std::optional<ZRange> box = *InverseBox(p, target, range, InverseKind::kTouch);
    for (const ZPoint& x : touch) EXPECT_TRUE(box.has_value() && box->Contains(x));
  }
}

TEST(LawsTest, ReversalAndFlipMoveEveryRegion) {
  std::mt19937 random(6);
  for (int round = 0; round < 500; ++round) {
    ProjectionSpec spec = RandomProjection(random).spec();
    spec.extent = std::nullopt;
    spec.groups = {};
    spec.dilate = {};
    spec.offsets.Set(OffsetRole::kRelative, ZPoint::Filled(spec.matrix.rows(), -1));
    const ZProjection p = *ZProjection::Create(spec);
    const ZProjection reversed = *ReverseIndexAxis(p, 0, 7), flipped = *FlipTensorDim(p, 0, 11);
    ForEachCell(RandomBlock(random, p.index_rank()), [&](const ZPoint& x) {
      ZPoint mirrored = x;
      mirrored[0] = 6 - x[0];
      EXPECT_EQ(*RegionByCells(reversed, mirrored), *RegionByCells(p, x));
      Points turned;
      const Points region = *RegionByCells(p, x);
      for (ZPoint cell : region) {
        cell[0] = 10 - cell[0];
        turned.insert(cell);
      }
      EXPECT_EQ(*RegionByCells(flipped, x), turned);
      return true;
    });
  }
}

TEST(OffsetsTest, EqualIsNotIdentical) {
  ProjectionSpec a, b, c;
  for (ProjectionSpec* s : {&a, &b, &c}) s->matrix = ZMatrix::Identity(1);
  a.offsets.Set(OffsetRole::kBounds, {2});
  b.offsets.Set(OffsetRole::kView, {2});
  c.offsets.Set(OffsetRole::kRelative, {2});
  EXPECT_EQ(*ZProjection::Create(a), *ZProjection::Create(b));  // another split of the same anchor
  EXPECT_NE(*ZProjection::Create(a), *ZProjection::Create(c));  // another anchor
}

TEST(OverlapTest, SharingOfASlidingWindow) {
  const ZProjection p = *ZProjection::Plain(ZMatrix::Diagonal({2}), {0}, {3});
  const Overlap o = *StepOverlap(p, 0);
  EXPECT_EQ(o.cells, 1);
  EXPECT_EQ(o.sharing, Sharing::kPartial);
  EXPECT_EQ(*BlockHalo(p, 0, 0, {8}), 1);
  EXPECT_TRUE(IsDense(p, 0, 0));
  EXPECT_TRUE(StepOverlap(*ZProjection::Plain(ZMatrix::Diagonal({3}), {0}, {2}), 0)->gap);
}

TEST(ReadsTest, CountsAgreeWithEnumeration) {
  std::mt19937 random(7);
  for (int round = 0; round < 800; ++round) {
    ProjectionSpec spec = RandomProjection(random).spec();
    spec.policy = OutOfBoundsPolicy::kPad;
    if (!spec.extent.has_value()) continue;
    const ZProjection p = *ZProjection::Create(spec);
    const ZRange block = RandomBlock(random, p.index_rank());
    int64_t reads = 0, pairs = 0;
    ForEachCell(block, [&](const ZPoint& x) {
      reads +=
          static_cast<int64_t>(RegionByCells(p, x)->size());  // cells of one region are different
      return pairs += *ZRange::FromShape(p.shape()).size(), true;
    });
    const ReadCount count = *CountReads(p, block);
    EXPECT_EQ(count.reads, reads) << p.ToString() << block.ToString();
    EXPECT_EQ(count.pad_reads, pairs - reads);
  }
}

TEST(WriteCheckTest, HolesAndOverlapsDoNotCancel) {
  const ZProjection twice = *ZProjection::Plain(*ZMatrix::Create({{0}}, 1), {0}, {1});
  EXPECT_EQ(ErrorCodeOf(CheckInjective(twice, R("zr[0:2]"))), ErrorCode::kNotInjective);
  const ZProjection sparse = *ZProjection::Plain(ZMatrix::Diagonal({2}), {0}, {1});
  EXPECT_EQ(ErrorCodeOf(CheckCovering(sparse, R("zr[0:2]"), {4})), ErrorCode::kNotCovering);
  EXPECT_TRUE(
      CheckCovering(*ZProjection::Plain(ZMatrix::Diagonal({2}), {0}, {2}), R("zr[0:2]"), {4}).ok());
}

}  // namespace
}  // namespace tessera::projection
