#include "tessera/layout/layout_edit.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/layout/testing/test_shape.h"

namespace tessera::layout {
namespace {

Layout LayoutFrom(absl::string_view text) {
  const absl::StatusOr<Layout> layout = ParseLayout(text);
  EXPECT_TRUE(layout.ok()) << text;
  return layout.ok() ? *layout : Layout();
}

TEST(LayoutEditTest, DeleteDimension) {
  const Layout from = LayoutFrom("{2,0,1:T(8,128)E(4)S(1)SC(0:4)(1:1)(2:9)}");
  EXPECT_EQ(LayoutToString(DeleteDimension(from, 0)), "{1,0:T(8,128)E(4)S(1)SC(0:4)(1:9)}");
  EXPECT_EQ(LayoutToString(DeleteDimension(from, 1)), "{1,0:T(8,128)E(4)S(1)SC(0:1)(1:9)}");
}

TEST(LayoutEditTest, Move) {
  const Layout layout = LayoutFrom("{2,0,1}");
  EXPECT_EQ(LayoutToString(MoveToMajor(layout, 2)), "{0,1,2}");
  EXPECT_EQ(LayoutToString(MoveToMajor(layout, 1)), "{2,0,1}");
  EXPECT_EQ(LayoutToString(MoveToMinor(layout, 1)), "{1,2,0}");
  EXPECT_EQ(LayoutToString(MoveToMinor(layout, 2)), "{2,0,1}");
}

TEST(LayoutEditTest, HostShape) {
  const Shape shape = ShapeFrom("(s4[4,2]{0,1:T(8)L(2)E(4)S(5)SC(0:1)M(4)}, token[])");
  EXPECT_EQ(ShapeToString(HostShape(shape)), "(s4[4,2]{0,1:SC(0:1)}, token[])");
}

TEST(LayoutEditTest, PackSubByte) {
  const Shape shape = ShapeFrom("(s4[4], u8[4]{0:E(4)}, pred[2])");
  EXPECT_EQ(ShapeToString(PackSubByte(shape, true)), "(s4[4]{0:E(4)}, u8[4]{0}, pred[2]{0})");
  EXPECT_EQ(ShapeToString(PackSubByte(PackSubByte(shape, true), false)),
            "(s4[4]{0}, u8[4]{0}, pred[2]{0})");
}

TEST(LayoutEditTest, ChangeOfElementType) {
  Shape shape = ShapeFrom("s4[4]{0:E(4)}");
  shape.set_element_type(ElementType::kU4);
  EXPECT_EQ(ShapeToString(shape), "u4[4]{0:E(4)}");
  shape.set_element_type(ElementType::kS8);
  EXPECT_EQ(ShapeToString(shape), "s8[4]{0}");
}

TEST(LayoutEditTest, PhysicalPlaces) {
  const Layout layout = LayoutFrom("{2,0,1}");
  EXPECT_EQ(layout.Major(0), 1);
  EXPECT_EQ(LogicalToPhysical(layout), (Shape::Dims{1, 0, 2}));
  EXPECT_TRUE(AreConsecutive(layout, {2, 0}));
  EXPECT_FALSE(AreConsecutive(layout, {1, 2}));
  EXPECT_TRUE(AreConsecutive(layout, {}));
}

TEST(LayoutEditTest, Monotonic) {
  EXPECT_TRUE(IsDimZeroMajor(Layout::Descending(3)));
  EXPECT_TRUE(IsDimZeroMinor(Layout::Ascending(3)));
  EXPECT_TRUE(IsDimZeroMajor(Layout()) && IsDimZeroMinor(Layout()));
  EXPECT_FALSE(IsDimZeroMajor(LayoutFrom("{2,0,1}")) || IsDimZeroMinor(LayoutFrom("{2,0,1}")));
}

}  // namespace
}  // namespace tessera::layout
