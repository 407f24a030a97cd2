#include "tessera/sharding/axis_lists.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/cursor.h"

namespace tessera::sharding {
namespace {

const Mesh& TestMesh() {
  static const Mesh* mesh = new Mesh(*Mesh::Create({{"q", 8}, {"p", 6}, {"r", 4}}));
  return *mesh;
}

// `"q", "p":(1)2`; anything goes.
AxisList Read(const std::string& text) {
  AxisList out;
  text::Cursor in(text);
  while (!in.AtEnd()) {
    const AxisText axis = *ParseAxisText(in);
    const int index = *TestMesh().FindAxis(axis.name);
    out.push_back(axis.is_sub ? AxisRef::Sub(index, axis.pre_size, axis.size)
                              : AxisRef::Full(index));
    in.Consume(',');
  }
  return out;
}

std::string Print(const AxisList& axes) { return PrintAxes(axes, TestMesh()); }

TEST(AxisListsTest, Merges) {
  EXPECT_EQ(ShardedSize(Read("\"q\":(2)2, \"p\""), TestMesh()), 12);
  EXPECT_EQ(Print(SortAndMerge(Read("\"p\", \"q\":(2)4, \"q\":(1)2"), TestMesh())), "\"q\", \"p\"");
  EXPECT_EQ(Print(SortAndMerge(Read("\"q\":(4)2, \"q\":(2)2"), TestMesh())), "\"q\":(2)4");
  AxisList axes = Read("\"r\", \"q\":(1)2");
  AppendMinor(axes, Read("\"q\":(2)2, \"q\":(4)2"), TestMesh());
  EXPECT_EQ(Print(axes), "\"r\", \"q\":(1)4, \"q\":(4)2");
}

TEST(AxisListsTest, Truncates) {
  struct Case {
    std::string axes, others, out;
    bool changed;
  };
  const Case cases[] = {
      {"\"q\", \"p\"", "\"r\"", "\"q\", \"p\"", false},
      {"\"q\", \"p\"", "\"p\":(2)3", "\"q\", \"p\":(1)2", true},
      {"\"q\", \"p\", \"r\"", "\"p\":(1)2", "\"q\"", true},
      {"\"q\"", "\"q\":(4)2, \"q\":(2)2", "\"q\":(1)2", true},
      {"", "\"q\"", "", false},
  };
  for (const Case& c : cases) {
    AxisList axes = Read(c.axes);
    EXPECT_EQ(Truncate(axes, Read(c.others)), c.changed) << c.axes;
    EXPECT_EQ(Print(axes), c.out) << c.axes;
  }
}

TEST(AxisListsTest, ComparesPrefixes) {
  EXPECT_TRUE(IsStrictPrefixOf(Read(""), Read("\"q\"")));
  EXPECT_FALSE(IsStrictPrefixOf(Read(""), Read("")));
  EXPECT_TRUE(IsStrictPrefixOf(Read("\"p\", \"q\":(1)2"), Read("\"p\", \"q\"")));
  EXPECT_TRUE(IsStrictPrefixOf(Read("\"p\""), Read("\"p\", \"q\"")));
  EXPECT_FALSE(IsStrictPrefixOf(Read("\"p\", \"q\""), Read("\"p\", \"q\"")));
  EXPECT_FALSE(IsStrictPrefixOf(Read("\"p\", \"q\""), Read("\"p\"")));
  EXPECT_FALSE(IsStrictPrefixOf(Read("\"r\""), Read("\"p\", \"q\"")));
}

TEST(AxisListsTest, Subtracts) {
  struct Case {
    std::string a, b, out;
  };
  const Case cases[] = {
      {"\"q\", \"p\"", "", "\"q\", \"p\""},
      {"\"q\", \"p\"", "\"q\", \"p\"", ""},
      {"\"q\", \"p\"", "\"q\":(2)2", "\"q\":(1)2, \"q\":(4)2, \"p\""},
      {"\"p\", \"q\"", "\"q\", \"r\"", "\"p\""},
      {"\"q\":(2)2", "\"q\"", ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Print(SetDifference(Read(c.a), Read(c.b), TestMesh())), c.out) << c.a << " - " << c.b;
  }
}

TEST(AxisListsTest, FindsOverlaps) {
  const AxisNameLess less(TestMesh());
  const AxisList sorted = Read("\"p\":(1)2, \"q\":(2)2, \"r\"");
  EXPECT_EQ(FirstOverlapping(Read("\"q\"")[0], sorted, less), &sorted[1]);
  EXPECT_EQ(FirstOverlapping(Read("\"q\":(1)2")[0], sorted, less), nullptr);
  EXPECT_EQ(FirstOverlapping(Read("\"p\"")[0], sorted, less), &sorted[0]);
  EXPECT_TRUE(OverlapsAny(Read("\"r\":(2)2")[0], sorted));
  EXPECT_FALSE(OverlapsAny(Read("\"p\":(2)3")[0], sorted));
}

}  // namespace
}  // namespace tessera::sharding
