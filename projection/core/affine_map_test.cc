// Matrices and affine maps on small numbers; images of whole blocks are in projection_test.
#include "tessera/projection/core/affine_map.h"

#include <limits>

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

ZMatrix M(const std::vector<ZPoint>& rows) { return *ZMatrix::Create(rows, rows[0].rank()); }

TEST(ZMatrixTest, ProductsAndPermutations) {
  const ZMatrix a = M({{1, 2, 0}, {0, -1, 3}});
  EXPECT_EQ(*a.Apply({1, 1, 1}), ZPoint({3, 2}));
  EXPECT_EQ(*a.Times(ZMatrix::Identity(3)), a);
  EXPECT_EQ(*a.Times(M({{1}, {1}, {2}})), M({{3}, {5}}));
  EXPECT_EQ(a.Transpose(), M({{1, 0}, {2, -1}, {0, 3}}));
  EXPECT_EQ(*a.PermuteInput({2, 0, 1}), M({{0, 1, 2}, {3, 0, -1}}));
  EXPECT_EQ(*a.PermuteOutput({1, 0}), M({{0, -1, 3}, {1, 2, 0}}));
  EXPECT_EQ(ZMatrix::Diagonal({2, 3}), M({{2, 0}, {0, 3}}));
  EXPECT_EQ(a.WithPrefix(1), M({{1, 0, 0, 0}, {0, 1, 2, 0}, {0, 0, -1, 3}}));
}

TEST(ZMatrixTest, ColumnsAndRows) {
  const ZMatrix a = M({{0, 2, 0}, {0, -1, 3}, {0, 0, 0}});
  EXPECT_TRUE(a.IsZeroColumn(0));
  EXPECT_FALSE(a.IsZeroColumn(1));
  EXPECT_EQ(a.SingleColumn(0), 1);
  EXPECT_EQ(a.SingleColumn(1), -2);
  EXPECT_EQ(a.SingleColumn(2), -1);
}

TEST(ZMatrixTest, Mistakes) {
  const ZMatrix a = M({{1, 2}});
  EXPECT_EQ(ErrorCodeOf(a.Apply({1}).status()), ErrorCode::kRankMismatch);
  EXPECT_EQ(ErrorCodeOf(a.Times(a).status()), ErrorCode::kRankMismatch);
  EXPECT_EQ(ErrorCodeOf(a.PermuteInput({0, 0}).status()), ErrorCode::kBadPermutation);
  EXPECT_EQ(ErrorCodeOf(M({{kMost, 1}}).Apply({1, 1}).status()), ErrorCode::kOverflow);
  EXPECT_EQ(ErrorCodeOf(M({{kMost}}).Times(M({{2}})).status()), ErrorCode::kOverflow);
  EXPECT_EQ(ErrorCodeOf(ZMatrix::Create({ZPoint{1, 2}, ZPoint{1}}, 2).status()),
            ErrorCode::kRankMismatch);
}

TEST(ZAffineMapTest, StepsAreConstant) {
  const ZAffineMap f = *ZAffineMap::Create(M({{1, 0}, {0, 1}, {1, 1}}), {10, 20, 30});
  for (int axis = 0; axis < 2; ++axis) {
    for (const ZPoint& at : {ZPoint{0, 0}, ZPoint{5, -3}, ZPoint{-7, 11}}) {
      ZPoint next = at;
      next[axis] += 1;
      EXPECT_EQ(*f.Apply(next)->Minus(*f.Apply(at)), f.Stride(axis));
    }
  }
  EXPECT_EQ(f.ToString(), "λx.[[1,0],[0,1],[1,1]]⋅x + [10,20,30]");
}

TEST(ZAffineMapTest, MovesPermutesAndComposes) {
  const ZAffineMap f = *ZAffineMap::Create(M({{1, 0}, {0, 1}, {1, 1}}), {10, 20, 30});
  EXPECT_EQ(f.Translate({1, 1, 1})->offset(), ZPoint({11, 21, 31}));
  EXPECT_EQ(f.PreTranslate({2, 3})->offset(), ZPoint({12, 23, 35}));
  EXPECT_EQ(*f.PermuteInput({1, 0})->Apply({6, 5}), *f.Apply({5, 6}));
  EXPECT_EQ(*f.PermuteOutput({2, 0, 1})->Apply({5, 6}), ZPoint({41, 15, 26}));
  const ZAffineMap g = *ZAffineMap::Create(M({{1, -1, 2}}), {7});
  EXPECT_EQ(*f.Then(g)->Apply({5, 6}), *g.Apply(*f.Apply({5, 6})));
}

// Coordinates in front pass through: the example of batches.
TEST(ZAffineMapTest, PrefixesPassThrough) {
  const ZAffineMap f = *ZAffineMap::Create(M({{1, 0}, {0, 1}, {1, 1}}), {10, 20, 30});
  EXPECT_EQ(*f.BroadcastApply({100, 20, 5, 6}), ZPoint({100, 20, 15, 26, 41}));
  EXPECT_EQ(*f.WithPrefix(2).Apply({100, 20, 5, 6}), ZPoint({100, 20, 15, 26, 41}));
  EXPECT_EQ(ErrorCodeOf(f.BroadcastApply({1}).status()), ErrorCode::kRankMismatch);
}

}  // namespace
}  // namespace tessera::projection
