// One library alone: what a layout costs.

#include "gtest/gtest.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"

namespace {

TEST(Padding, OfTiles) {
  const auto shape = tessera::layout::ParseShape("f32[1000,2]{1,0:T(8,128)}");
  ASSERT_TRUE(shape.ok()) << shape.status();
  const auto sizes = tessera::layout::SizesOf(*shape);
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ(sizes->data_bytes, 8000);
  EXPECT_EQ(sizes->padded_bytes, 1000 * 128 * 4);
}

}  // namespace
