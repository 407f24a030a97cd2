// Single steps of both strategies, by hand.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/propagation/table_maker.h"

namespace tessera::sharding::propagation {
namespace {

using ::testing::ElementsAreArray;
using Texts = std::vector<std::string>;

const std::vector<MeshAxis>& Axes() {
  static const auto* const axes =
      new std::vector<MeshAxis>{{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 4}, {"t", 3}};
  return *axes;
}

constexpr char kDot[] = "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}";
constexpr char kAdd[] = "([i, j], [i, j])->([i, j]) {i=8, j=8}";

struct Case {
  const char* rule;
  Texts before, basic, aggressive;
  bool element_wise = false;
};

TEST(FactorStepsTest, BothStrategies) {
  const Case cases[] = {
      // The tensors agree on a then b for i; they part after c on j.
      {"([i, j], [i, j])->([i, j]) {i=64, j=64}",
       {"[{a,?},{?}]", "[{a,b,?},{c,d,?}]", "[{?},{c,e,?}]"},
       {"[{a,b,?},{c,?}]", "[{a,b,?},{c,d,?}]", "[{a,b,?},{c,e,?}]"},
       {"[{a,b,?},{c,?}]", "[{a,b,?},{c,d,?}]", "[{a,b,?},{c,e,?}]"}},
      // Both operands want a for the result: the larger one gets it.
      {kDot,
       {"[{a,?},{?}]", "[{?},{a,?}]", ""},
       {"[{a,?},{?}]", "[{?},{a,?}]", ""},
       {"[{a,?},{?}]", "[{?},{a,?}]", "[{?},{a,?}]"}},
      // The result wants a on j; rhs can take it, lhs has no j.
      {kDot,
       {"[{a,?},{?}]", "", "[{?},{a,?}]"},
       {"[{a,?},{?}]", "", "[{?},{a,?}]"},
       {"[{a,?},{?}]", "[{?},{a,?}]", "[{?},{a,?}]"}},
      // A closed dimension takes nothing; the others go on.
      {kAdd,
       {"[{a,?},{b,?}]", "", "[{},{?}]"},
       {"[{a,?},{b,?}]", "[{?},{b,?}]", "[{},{b,?}]"},
       {"[{a,?},{b,?}]", "[{a,?},{b,?}]", "[{},{b,?}]"}},
      // Element-wise: an operand goes no further than the result.
      {kAdd,
       {"[{a,?},{b,?}]", "", "[{},{?}]"},
       {"[{a,?},{b,?}]", "[{?},{b,?}]", "[{},{b,?}]"},
       {"[{a,?},{b,?}]", "[{?},{b,?}]", "[{},{b,?}]"},
       /*element_wise=*/true},
      // Element-wise: of two sources of one size, more shards win.
      {kAdd,
       {"[{a,?},{?}]", "[{?},{a,e,?}]", ""},
       {"[{a,?},{?}]", "[{?},{a,e,?}]", ""},
       {"[{a,?},{?}]", "[{?},{a,e,?}]", "[{?},{a,e,?}]"},
       /*element_wise=*/true},
      // Otherwise the first source wins.
      {kAdd,
       {"[{a,?},{?}]", "[{?},{a,?}]", ""},
       {"[{a,?},{?}]", "[{?},{a,?}]", ""},
       {"[{a,?},{?}]", "[{?},{a,?}]", "[{a,?},{?}]"}},
      // Replicated and unreduced axes bind their own tensor only.
      {kAdd,
       {"[{a,?},{?}]", "[{?},{?}] repl{a}", "[{?},{?}] unred{a}"},
       {"[{a,?},{?}]", "[{?},{?}] repl{a}", "[{?},{?}] unred{a}"},
       {"[{a,?},{?}]", "[{?},{?}] repl{a}", "[{?},{?}] unred{a}"}},
      // Reshape: an axis is split over two factors, and comes back whole.
      {"([ij])->([i, j]) {i=2, j=4}",
       {"[{e,?}]", ""},
       {"[{e,?}]", "[{e:(1)2,?},{e:(2)2,?}]"},
       {"[{e,?}]", "[{e:(1)2,?},{e:(2)2,?}]"}},
      {"([i, j])->([ij]) {i=2, j=4}",
       {"[{e:(1)2,?},{e:(2)2,?}]", ""},
       {"[{e:(1)2,?},{e:(2)2,?}]", "[{e,?}]"},
       {"[{e:(1)2,?},{e:(2)2,?}]", "[{e,?}]"}},
      // An axis that would make a strided view is dropped: nothing is written.
      {"([i, j])->([ij]) {i=4, j=4}",
       {"[{?},{a,?}]", ""},
       {"[{?},{a,?}]", ""},
       {"[{?},{a,?}]", ""}},
      // An overflowing axis stays where it is, and blocks.
      {"([ij])->([i, j]) {i=4, j=4}",
       {"[{t,?}]", "[{a,?},{?}]"},
       {"[{t,?}]", "[{a,?},{?}]"},
       {"[{t,?}]", "[{a,?},{?}]"}},
  };
  for (const Case& c : cases) {
    TableMaker t(Axes(), c.rule, c.before);
    StepMode mode;
    mode.directions = Directions::Every(Direction::kBoth);
    mode.element_wise = c.element_wise;
    mode.aggressive = false;
    EXPECT_THAT(t.Step(mode), ElementsAreArray(c.basic))
        << c.rule << testing::PrintToString(c.before);
    mode.aggressive = true;
    EXPECT_THAT(t.Step(mode), ElementsAreArray(c.aggressive))
        << c.rule << testing::PrintToString(c.before);
  }
}

TEST(FactorStepsTest, DirectionsAreByFactorKindAndBlockedFactorsStay) {
  TableMaker t(Axes(),
               "([i, j, k])->([i, j, k]) {i=8, j=8, k=8} reduction={j} "
               "blocked_propagation={k}",
               {"[{a,?},{b,?},{c,?}]", ""});
  StepMode mode;
  mode.directions = {Direction::kForward, Direction::kBackward};
  EXPECT_EQ(t.Step(mode)[1], "[{a,?},{?},{?}]");
  mode.directions = {Direction::kNone, Direction::kForward};
  EXPECT_EQ(t.Step(mode)[1], "[{?},{b,?},{?}]");
  mode.directions = Directions::Every(Direction::kBoth);
  EXPECT_EQ(t.Step(mode)[1], "[{a,?},{b,?},{?}]");
}

TEST(FactorStepsTest, ConservativeStepsMakeNoSubAxes) {
  TableMaker t(Axes(), "([i])->([ij]) {i=2, j=4}", {"[{e,?}]", ""});
  StepMode mode;
  mode.directions = Directions::Every(Direction::kBoth);
  EXPECT_EQ(t.Step(mode)[1], "[{e:(1)2,?}]");
  mode.conservative = true;
  EXPECT_EQ(t.Step(mode)[1], "");
}

}  // namespace
}  // namespace tessera::sharding::propagation
