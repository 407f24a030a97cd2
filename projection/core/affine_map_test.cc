// Matrices and affine maps on small numbers; images of whole blocks are in projection_test.
#include "tessera/projection/core/affine_map.h"

#include <limits>

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

ZMatrix M(const std::vector<ZPoint>& rows) { return *ZMatrix::Create(rows, rows[0].rank()); }

TEST(ZMatrixTest, Products) {
  const ZMatrix a = M({{1, 2, 0}, {0, -1, 3}});
  EXPECT_EQ(*a.Apply({1, 1, 1}), ZPoint({3, 2}));
  EXPECT_EQ(ZMatrix::Diagonal({2, 3}), M({{2, 0}, {0, 3}}));
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
  EXPECT_EQ(ErrorCodeOf(M({{kMost, 1}}).Apply({1, 1}).status()), ErrorCode::kOverflow);
  EXPECT_EQ(ErrorCodeOf(ZMatrix::Create({ZPoint{1, 2}, ZPoint{1}}, 2).status()),
            ErrorCode::kRankMismatch);
}

TEST(ZAffineMapTest, StepsAreConstant) {
  const ZAffineMap f = *ZAffineMap::Create(M({{1, 0}, {0, 1}, {1, 1}}), {10, 20, 30});
  for (int axis = 0; axis < 2; ++axis) {
    for (const ZPoint& at : {ZPoint{0, 0}, ZPoint{5, -3}, ZPoint{-7, 11}}) {
      ZPoint next = at;
      next[axis] += 1;
      EXPECT_EQ(*f.Apply(at)->Plus(f.matrix().column(axis)), *f.Apply(next));
    }
  }
  EXPECT_EQ(f.ToString(), "λx.[[1,0],[0,1],[1,1]]⋅x + [10,20,30]");
}

}  // namespace
}  // namespace tessera::projection
