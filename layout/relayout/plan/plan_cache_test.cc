#include "tessera/layout/relayout/plan_cache.h"

#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout::relayout {
namespace {

TEST(PlanCacheTest, TellsRequestsApart) {
  PlanCache cache;
  const Shape a = ShapeFrom("f32[8,8]"), b = ShapeFrom("f32[8,8]{0,1}");
  Options transposed;
  transposed.perm = {1, 0};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cache.Get(a, b)->Explain(), Plan::Create(a, b)->Explain());
    EXPECT_EQ(cache.Get(a, b, transposed)->Explain(), Plan::Create(a, b, transposed)->Explain());
    EXPECT_EQ(ErrorCode(cache.Get(a, ShapeFrom("f32[8]")).status()), "R_DIMS");
  }
}

}  // namespace
}  // namespace tessera::layout::relayout
