// Levels, groups, user priorities and the views of manual computations.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/propagation/run/groups.h"
#include "tessera/sharding/propagation/run/levels.h"
#include "tessera/sharding/propagation/run/user_priorities.h"
#include "tessera/sharding/trim.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::propagation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Mesh& TestMesh() {
  static const Mesh* const mesh = new Mesh(*Mesh::Create({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 4}}));
  return *mesh;
}
TensorSharding Parse(const std::string& text) { return ParseShort(text, 0, TestMesh()).value(); }
std::string Text(const TensorSharding& s) { return ToShort(s, TestMesh()); }

TEST(LevelsTest, WhatEachLevelAllows) {
  constexpr Direction kN = Direction::kNone, kF = Direction::kForward, kBack = Direction::kBackward,
                      kB = Direction::kBoth;
  struct Case {
    OpPriorityClass flow;
    bool single_use;
    Directions expected[kNumLevels];  // pass-through factors, other factors
  };
  const Case cases[] = {
      {OpPriorityClass::kPassThrough, true, {{kB, kB}, {kB, kB}, {kB, kB}, {kB, kB}, {kB, kB}}},
      {OpPriorityClass::kPassThrough, false, {{kN, kN}, {kB, kB}, {kB, kB}, {kB, kB}, {kB, kB}}},
      {OpPriorityClass::kPassThroughForward,
       true,
       {{kF, kF}, {kF, kF}, {kB, kF}, {kB, kB}, {kB, kB}}},
      {OpPriorityClass::kPassThroughForward,
       false,
       {{kN, kN}, {kF, kF}, {kB, kF}, {kB, kB}, {kB, kB}}},
      {OpPriorityClass::kOther, true, {{kN, kN}, {kN, kN}, {kB, kN}, {kB, kB}, {kB, kB}}},
      {OpPriorityClass::kBroadcast,
       true,
       {{kN, kN}, {kN, kN}, {kBack, kN}, {kBack, kBack}, {kB, kB}}},
  };
  for (const Case& c : cases) {
    for (int level = 0; level < kNumLevels; ++level) {
      EXPECT_EQ(LevelDirections(level, c.flow, c.single_use), c.expected[level])
          << static_cast<int>(c.flow) << " at " << level;
    }
  }
}

TEST(GroupsTest, WhoHasASayInAGroup) {
  ShardingTable table;
  const auto id = [&](const char* text) { return table.Intern(Parse(text)); };
  const ShardingId a = id("[{a,?},{?}]"), closed = id("[{},{?}]"), open = id("[{?},{?}]"),
                   replicated = id("[{?},{?}] repl{b}");
  const auto judge = [&](const std::vector<ShardingId>& members) {
    return ResolveGroupSharding(members, table);
  };
  EXPECT_EQ(judge({}).kind, GroupSharding::kUnconstrained);
  EXPECT_EQ(judge({open, replicated, kNoSharding}).kind, GroupSharding::kUnconstrained);
  EXPECT_EQ(judge({open, a, kNoSharding, a}).kind, GroupSharding::kAgree);
  EXPECT_EQ(judge({open, a, kNoSharding, a}).sharding, a);
  EXPECT_EQ(judge({closed}).sharding, closed);
  EXPECT_EQ(judge({a, closed}).kind, GroupSharding::kDisagree);
}

TEST(UserPrioritiesTest, HideAndReveal) {
  const TensorSharding s = Parse("[{a,?}p2,{b},{?}p1,{d:(2)2}p0] repl{c}");
  EXPECT_THAT(PrioritiesAboveZero(s), ElementsAre(1, 2));
  const TensorSharding hidden = MaskPriorities(s);
  EXPECT_EQ(Text(hidden), "[{},{b},{},{d:(2)2}] repl{a,c}");
  EXPECT_THAT(PrioritiesAboveZero(hidden), IsEmpty());
  const TensorSharding first = RestorePriority(hidden, s, 1);
  EXPECT_EQ(Text(first), "[{},{b},{?},{d:(2)2}] repl{a,c}");
  // Changes that propagation made to a dimension meanwhile stay.
  EXPECT_EQ(Text(RestorePriority(Parse("[{},{b},{d:(1)2,?},{d:(2)2}] repl{a,c}"), s, 2)),
            "[{a,?},{b},{d:(1)2,?},{d:(2)2}] repl{c}");
}

TEST(ManualViewTest, WithAndWithoutTheManualAxes) {
  const TensorSharding boundary = Parse("[{a,b},{}] repl{c}");
  EXPECT_EQ(Text(WithManualAxes(Parse("[{d,?},{b}]"), boundary, {0})), "[{a,d,?},{b}] repl{c}");
  EXPECT_EQ(Text(WithManualAxes(Parse("[{?},{d}] repl{b}"), boundary, {0, 2})),
            "[{a,?},{d}] repl{c}");
  EXPECT_EQ(Text(EraseManualAxes(Parse("[{a,d,?},{b}] repl{c}"), {0, 2})), "[{d,?},{b}]");
  EXPECT_EQ(Text(EraseManualAxes(Parse("[{a,c},{b}] unred{d}"), {0, 2})), "[{},{b}] unred{d}");
}

}  // namespace
}  // namespace tessera::sharding::propagation
