#include "tessera/sharding/propagation/step/compatible_axes.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/testing/propagation/table_maker.h"

namespace tessera::sharding::propagation {
namespace {

struct Case {
  Direction direction;
  std::vector<std::string> shardings;  // two operands, two results, all [i]
  std::string expected;                // of i
};

constexpr Direction kNone = Direction::kNone, kForward = Direction::kForward,
                    kBackward = Direction::kBackward, kBoth = Direction::kBoth;

TEST(CompatibleAxesTest, Table) {
  const Case cases[] = {
      // Equal, shorter and missing lists agree.
      {kBoth, {"[{a,?}]", "[{a,b,?}]", "", ""}, "a,b"},
      {kBoth, {"", "", "", "[{a,b,?}]"}, "a,b"},
      {kBoth, {"", "", "", ""}, ""},
      // A disagreement ends the list for good.
      {kBoth, {"[{a,b,?}]", "[{a,c,?}]", "[{a,b,?}]", ""}, "a"},
      {kBoth, {"[{a,?}]", "[{b,?}]", "[{a,?}]", ""}, ""},
      // Parts of an axis: the longer one, as long as nothing comes after the shorter one.
      {kBoth, {"[{d:(1)2,?}]", "[{d,?}]", "", ""}, "d"},
      {kBoth, {"[{d,?}]", "[{d:(1)2,?}]", "", ""}, "d"},
      {kBoth, {"[{d,a,?}]", "[{d:(1)2,?}]", "", ""}, "d,a"},
      {kBoth, {"[{d,?}]", "[{d:(1)2,a,?}]", "", ""}, "d:(1)2"},
      {kBoth, {"[{d:(1)2,a,?}]", "[{d,?}]", "", ""}, "d:(1)2"},
      {kBoth, {"[{d:(1)2,?}]", "[{d:(2)4,?}]", "", ""}, ""},
      // One way: the other side can only shorten.
      {kForward, {"[{a,?}]", "", "[{a,b,?}]", ""}, "a"},
      {kForward, {"[{a,b,?}]", "", "[{a,?}]", ""}, "a,b"},
      {kForward, {"[{a,b,?}]", "", "[{a,c,?}]", ""}, "a"},
      {kForward, {"[{d:(1)2,a,?}]", "", "[{d,?}]", ""}, "d:(1)2"},
      {kForward, {"", "", "[{a,?}]", "[{a,?}]"}, ""},
      {kBackward, {"[{a,?}]", "[{a,?}]", "", ""}, ""},
      {kBackward, {"[{a,b,?}]", "", "[{a,?}]", ""}, "a"},
      {kNone, {"[{a,?}]", "[{a,?}]", "[{a,?}]", "[{a,?}]"}, ""},
  };
  for (const Case& c : cases) {
    TableMaker t({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 8}}, "([i], [i])->([i], [i]) {i=64}",
                 c.shardings);
    AxisList axes = {t.Axis("a")};  // what was there goes
    CompatibleMajorAxes(t.table(), 0, c.direction, axes);
    EXPECT_EQ(t.Text(axes), c.expected) << testing::PrintToString(c.shardings);
  }
}

TEST(CompatibleAxesTest, TensorsWithoutTheFactorDoNotCount) {
  TableMaker t({{"a", 2}, {"b", 2}}, "([i, j], [j])->([i]) {i=8, j=8}",
               {"[{a,?},{b,?}]", "[{a,?}]", ""});
  AxisList axes;
  CompatibleMajorAxes(t.table(), 0, Direction::kBoth, axes);
  EXPECT_EQ(t.Text(axes), "a");
  CompatibleMajorAxes(t.table(), 1, Direction::kBoth, axes);
  EXPECT_EQ(t.Text(axes), "");
}

class Stops : public Observer {
 public:
  void OnFoldStop(const FoldStop& s) override { stops.push_back(s); }
  std::vector<FoldStop> stops;
};

TEST(CompatibleAxesTest, ReportsWhereTheFoldStops) {
  TableMaker t({{"a", 2}, {"b", 2}, {"c", 2}}, "([i], [i])->([i]) {i=8}",
               {"[{a,b,?}]", "", "[{a,c,?}]"});
  AxisList axes;
  Stops observer;
  CompatibleMajorAxes(t.table(), 0, Direction::kBoth, axes, &observer);
  ASSERT_EQ(observer.stops.size(), 1u);
  EXPECT_EQ(observer.stops[0].tensor, 2);
  EXPECT_EQ(observer.stops[0].position, 1);
}

}  // namespace
}  // namespace tessera::sharding::propagation
