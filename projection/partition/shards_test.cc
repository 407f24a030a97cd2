// Cuts of an operation: a convolution of 16 cells with a window of 5, a matrix product, a strided
// slice.
#include "tessera/projection/partition/shards.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/partition/cuts.h"
#include "tessera/projection/partition/partial.h"
#include "tessera/projection/set/split.h"
#include "tessera/projection/signature/einsum.h"
#include "tessera/testing/projection/write_check.h"

namespace tessera::projection {
namespace {

using ::testing::ElementsAre;

ZRange R(const char* text) { return *ZRange::Parse(text); }

// 16 results, 20 input cells, 5 taps.
Signature Convolution() { return *SignatureFromText("x+k:5,*->x", {{20}, {5}}, {{16}}); }
Signature Product() { return *SignatureFromText("ij,jk->ik", {{8, 6}, {6, 4}}, {{8, 4}}); }

TEST(ShardsTest, WindowsShareAndKernelsAreConstant) {
  const ShardPlan plan = *CutOperation(Convolution(), {{0, 4}});
  ASSERT_EQ(plan.shards.size(), 4u);
  EXPECT_EQ(*plan.shards[1].needs[0].bounding, R("zr[4:12]"));
  EXPECT_THAT(plan.sharing, ElementsAre(Sharing::kPartial, Sharing::kTotal));
  EXPECT_THAT(plan.distinct_images, ElementsAre(4, 1));
}

TEST(ShardsTest, FragmentsAreWhatSetsOfShardsRead) {
  const std::vector<Fragment> fragments = *FragmentsOf(*CutOperation(Convolution(), {{0, 2}}), 0);
  ASSERT_EQ(fragments.size(), 3u);
  EXPECT_THAT(fragments[0].readers, ElementsAre(0));
  EXPECT_THAT(fragments[1].readers, ElementsAre(0, 1));
  EXPECT_EQ(fragments[1].cells, ZSet::OfBox(R("zr[8:12]")));  // the window less one, at the cut
  EXPECT_EQ(*fragments[0].cells.size() + *fragments[1].cells.size() + *fragments[2].cells.size(),
            20);
}

TEST(ShardsTest, WhatCannotBeCutSaysSo) {
  Signature s = Product();
  s.axes[1].kind = AxisKind::kOpaque;
  const absl::Status status = CutOperation(s, {{1, 2}}).status();
  EXPECT_EQ(status.message(), "axis k cannot be cut: it is opaque");
}

TEST(CutsTest, TheTensorReadTwiceDecides) {
  // Cutting rows in 4 reads the 6 x 4 matrix four times, cutting columns the 8 x 6 one.
  const std::vector<CutChoice> choices = *ChooseCuts(Product(), {{4, 4}, {4}}, 4, {});
  ASSERT_FALSE(choices.empty());
  for (const CutChoice& c : choices) EXPECT_EQ(c.parts[0] * c.parts[1], 4);
  EXPECT_EQ(choices[0].bytes_read_twice, 4 * 48 + 4 * 24);  // 2 x 2: each operand is read twice
  EXPECT_TRUE(ChooseCuts(Product(), {{4, 4}, {4}}, 4, {16})->empty());
  EXPECT_EQ(ErrorCodeOf(ChooseCuts(Product(), {{4, 4}, {4}}, 0, {}).status()),
            ErrorCode::kBadChunk);
}

TEST(PartialTest, MapAndCombine) {
  // sum over j of x[i, j], in split form: index (i, j), operand read cell by cell.
  Signature split = *SignatureFromText("ij->ij", {{4, 10}}, {{4, 10}});
  split.axes[1].kind = AxisKind::kReduction;
  split.results = {*ZProjection::Plain(*ZMatrix::Create({{1, 0}}, 2), {0}, {1})};
  split.result_shapes = {{4}};
  const SplitReduction r = *CutReduction(split, 1, 3);
  EXPECT_EQ(r.part, 4);
  EXPECT_EQ(*ProjectOperand(r.map, 0, R("zr[1:2, 2:3]"))->bounding,
            R("zr[1:2, 8:10]"));  // the last part is short
  EXPECT_EQ(*ProjectOperand(r.combine, 0, R("zr[1:2]"))->bounding, R("zr[1:2, 0:3]"));
  EXPECT_TRUE(CheckSignature(r.map).ok());
  EXPECT_TRUE(CheckSignature(r.combine).ok());
  split.axes[1].kind = AxisKind::kOrdered;
  EXPECT_EQ(ErrorCodeOf(CutReduction(split, 1, 3).status()), ErrorCode::kNotSupported);
}

// sum over j and k of x[i, j, k]: each can be cut, and both, one after the other.
TEST(PartialTest, AnyReductionAxis) {
  Signature split = *SignatureFromText("ijk->ijk", {{4, 10, 6}}, {{4, 10, 6}});
  split.axes[1].kind = split.axes[2].kind = AxisKind::kReduction;
  split.results = {*ZProjection::Plain(*ZMatrix::Create({{1, 0, 0}}, 3), {0}, {1})};
  split.result_shapes = {{4}};
  const SplitReduction first = *CutReduction(split, 1, 3);
  EXPECT_EQ(first.map.index, R("zr[0:4, 0:3, 0:6]"));
  EXPECT_EQ(first.map.result_shapes[0], ZPoint({4, 3}));
  EXPECT_EQ(*ProjectOperand(first.map, 0, R("zr[1:2, 1:2, 0:6]"))->bounding,
            R("zr[1:2, 4:8, 0:6]"));
  EXPECT_TRUE(CheckSignature(first.map).ok());
  const SplitReduction both = *CutReduction(first.map, 2, 2);
  EXPECT_EQ(both.map.result_shapes[0], ZPoint({4, 3, 2}));
  EXPECT_EQ(*ProjectOperand(both.map, 0, R("zr[1:2, 2:3, 1:2]"))->bounding,
            R("zr[1:2, 8:10, 3:6]"));
  EXPECT_EQ(*ProjectOperand(both.combine, 0, R("zr[1:2, 2:3]"))->bounding, R("zr[1:2, 2:3, 0:2]"));
  EXPECT_TRUE(CheckSignature(both.map).ok());
  EXPECT_TRUE(CheckSignature(both.combine).ok());
}

}  // namespace
}  // namespace tessera::projection
