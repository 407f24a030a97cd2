#include "tessera/projection/signature/indexing_map.h"

#include "gtest/gtest.h"
#include "tessera/projection/signature/einsum.h"

namespace tessera::projection {
namespace {

ZRange R(const char* text) { return *ZRange::Parse(text); }

ProjectionSpec Spec(const ZMatrix& matrix, ZPoint offset, ZPoint shape) {
  ProjectionSpec spec;
  spec.matrix = matrix;
  spec.offsets.Set(OffsetRole::kBounds, std::move(offset));
  spec.shape = std::move(shape);
  return spec;
}

TEST(IndexingMapTest, AxesAndSymbols) {
  const ZProjection p =
      *ZProjection::Plain(*ZMatrix::Create({{0, 0}, {1, 0}}, 2), {0, 0}, {256, 1});
  EXPECT_EQ(IndexingMapText(p, R("zr[0:10, 0:5]")),
            "(d0, d1)[s0] -> (s0, d0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 255]");
}

TEST(IndexingMapTest, StridesOffsetsAndReversal) {
  const ZProjection window = *ZProjection::Plain(ZMatrix::Diagonal({2}), {-1}, {3});
  EXPECT_EQ(IndexingMapText(window, R("zr[0:4]")),
            "(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 3], s0 in [0, 2]");
  const ZProjection back = *ZProjection::Plain(ZMatrix::Diagonal({-1}), {7}, {1});
  EXPECT_EQ(IndexingMapText(back, R("zr[0:8]")), "(d0) -> (-d0 + 7), domain: d0 in [0, 7]");
  const ZProjection scalar = *ZProjection::Plain(ZMatrix(0, 1), {}, {});
  EXPECT_EQ(IndexingMapText(scalar, R("zr[0:8]")), "(d0) -> (), domain: d0 in [0, 7]");
}

// A pad: one cell before, holes between.
TEST(IndexingMapTest, DilationAndBordersAreConstraints) {
  ProjectionSpec spec = Spec(ZMatrix::Identity(1), {-1}, {1});
  spec.dilate = {2};
  spec.policy = OutOfBoundsPolicy::kDrop;
  spec.extent = ZPoint{4};
  EXPECT_EQ(IndexingMapText(*ZProjection::Create(spec), R("zr[0:9]")),
            "(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [0, 8], (d0 - 1) mod 2 in [0, 0], "
            "d0 - 1 in [0, 6]");
}

TEST(IndexingMapTest, GroupsAreQuotients) {
  ProjectionSpec spec = Spec(ZMatrix(1, 1), {0}, {2});
  spec.groups = {{0, 0, 3, 2}};
  EXPECT_EQ(IndexingMapText(*ZProjection::Create(spec), R("zr[0:6]")),
            "(d0)[s0] -> ((d0 floordiv 3) * 2 + s0), domain: d0 in [0, 5], s0 in [0, 1]");
}

TEST(IndexingMapTest, NothingIsKnownEmpty) {
  const ZProjection p = *ZProjection::Plain(ZMatrix::Identity(1), {0}, {1});
  EXPECT_EQ(IndexingMapText(p, R("zr[3:3]")), "KNOWN EMPTY");
  ProjectionSpec outside = Spec(ZMatrix::Identity(1), {9}, {1});
  outside.policy = OutOfBoundsPolicy::kDrop;
  outside.extent = ZPoint{4};
  EXPECT_EQ(IndexingMapText(*ZProjection::Create(outside), R("zr[0:4]")), "KNOWN EMPTY");
}

TEST(IndexingMapTest, OfASignature) {
  const Signature s = *SignatureFromText("ij,jk->ik", {{4, 6}, {6, 5}}, {{4, 5}});
  EXPECT_EQ(IndexingMapsText(s),
            "operand 0: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 4], s0 in [0, "
            "5]\noperand 1: (d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 4], s0 in "
            "[0, 5]\n");
}

// A slice of 4 cells of 10 at a start that is data, and an update of 4 cells there.
TEST(IndexingMapTest, StartsThatAreDataAreRuntimeVariables) {
  const ZProjection slice = *ZProjection::Plain(ZMatrix::Identity(1), {0}, {7});
  EXPECT_EQ(IndexingMapText(slice, R("zr[0:4]"), {{0, 1}}),
            "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 6]");
  ProjectionSpec update = Spec(ZMatrix::Identity(1), {-6}, {7});
  update.policy = OutOfBoundsPolicy::kDrop;
  update.extent = ZPoint{4};
  EXPECT_EQ(IndexingMapText(*ZProjection::Create(update), R("zr[0:10]"), {{0, -1}}),
            "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 9], rt0 in [0, 6], d0 - rt0 in [0, 3]");
}

}  // namespace
}  // namespace tessera::projection
