#include "tessera/sharding/axis_text.h"

#include <string>

#include "gtest/gtest.h"

namespace tessera::sharding {
namespace {

Mesh TestMesh() { return *Mesh::Create({{"x", 2}, {"y", 8}}); }

TEST(AxisTextTest, APartStandsAfterTheName) {
  const Mesh mesh = TestMesh();
  EXPECT_EQ(ShortAxisText(AxisRef::Full(0), mesh), "x");
  EXPECT_EQ(ShortAxisText(AxisRef::Sub(1, 2, 4), mesh), "y:(2)4");
  EXPECT_EQ(QuotedAxisText(AxisRef::Full(0), mesh), "'x'");
  EXPECT_EQ(QuotedAxisText(AxisRef::Sub(1, 2, 4), mesh), "'y':(2)4");
}

TEST(AxisTextTest, WhatIsPrintedIsRead) {
  const Mesh mesh = TestMesh();
  for (const AxisRef axis : {AxisRef::Full(0), AxisRef::Full(1), AxisRef::Sub(1, 2, 4)}) {
    const auto read = ParseAxisText(ShortAxisText(axis, mesh), mesh);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, axis);
  }
}

TEST(AxisTextTest, AnythingElseIsAnError) {
  for (const std::string text : {"z", "", "y:(2)", "y:(2", "y:()2", "y:2", "y:(a)2", "y:(2)2)"}) {
    EXPECT_FALSE(ParseAxisText(text, TestMesh()).ok()) << text;
  }
}

}  // namespace
}  // namespace tessera::sharding
