// Whole runs on small programs, each made to show one thing.

#include "tessera/sharding/propagation/propagate.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/propagation/test_program.h"
#include "tessera/testing/propagation/text_program.h"

namespace tessera::sharding::propagation {
namespace {

using program::Value;
using ::testing::HasSubstr;
using Expected = std::map<std::string, std::string>;

const std::vector<MeshAxis>& Axes() {
  static const auto* const axes = new std::vector<MeshAxis>{{"a", 2}, {"b", 2}, {"c", 4}};
  return *axes;
}

Options Make(Schedule schedule, Strategy strategy) {
  Options options;
  options.schedule = schedule;
  options.strategy = strategy;
  return options;
}
const Options kBasic = Make(Schedule::kFlat, Strategy::kBasic);
const Options kAggressive = Make(Schedule::kFlat, Strategy::kAggressive);
const Options kLevels = Make(Schedule::kOpPriority, Strategy::kAggressive);
const Options kAll = Make(Schedule::kUserPriority, Strategy::kAggressive);

struct Case {
  const char* what;
  const char* text;
  Options options;
  Expected expected;  // of some values
};

TEST(PropagateTest, Programs) {
  const Case cases[] = {
      {"forward and backward through a chain",
       R"(x 8x8 = arg
          y 8x8 = ew x
          z 8x8 [{a,?},{?}] = ew y
          w 8x8 = ew z
          return w)",
       kAll,
       {{"x", "[{a,?},{?}]"},
        {"y", "[{a,?},{?}]"},
        {"w", "[{a,?},{?}]"},
        {"return0", "[{a,?},{?}]"}}},
      {"an output asks for a sharding",
       R"(x 8x8 = arg
          y 8x8 = ew x
          return y [{?},{b}])",
       kAll,
       {{"x", "[{?},{b,?}]"}, {"y", "[{?},{b,?}]"}, {"return0", "[{?},{b}]"}}},
      {"the order of a use list decides: x gets `a` from its last user, then the earlier ones are "
       "visited in program order",
       R"(x 8x8 = arg
          y 8x8 = ew x
          z 8x8 = op y x : ([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}
          w 8 = op x : ([i, j])->([i]) {i=8, j=8} reduction={j}
          return z w [{a,?}])",
       kAggressive,
       {{"x", "[{a,?},{?}]"}, {"y", "[{a,?},{?}]"}, {"z", "[{a,?},{?}]"}}},
      {"op priority: what the element-wise op says comes before the dot",
       R"(x 8x8 [{a,?},{?}] = arg
          w 8x32 [{?},{a,?}] = arg
          u 8x32 = ew x w : ([i, k], [i, j])->([i, j]) {i=8, j=32, k=8}
          y 8x32 = op x w : ([i, k], [k, j])->([i, j]) {i=8, j=32, k=8} reduction={k}
          return u y)",
       kLevels,
       {{"y", "[{?},{a,?}]"}}},
      {"a broadcast goes backward before it goes forward",
       R"(x 8 [{a,?}] = arg
          y 8x8 = bcast x : ([i])->([i, j]) {i=8, j=8}
          z 8x8 [{?},{a,?}] = op y : ([i, j])->([i, j]) {i=8, j=8}
          return z)",
       kLevels,
       {{"x", "[{a,?}]"}, {"y", "[{?},{a,?}]"}}},
      {"barriers have one direction",
       R"(x 8 [{a,?}] = arg
          y 8 = barrier:BACKWARD x
          z 8 [{b,?}] = arg
          w 8 = barrier:FORWARD z
          v 8 = barrier:NONE w
          return y w v)",
       kAll,
       {{"y", ""}, {"w", "[{b,?}]"}, {"v", ""}}},
      {"through an optimization barrier",
       R"(x 8 [{a,?}] = arg
          y 8 = opt x
          z 8 = ew y
          return z)",
       kAll,
       {{"y", "[{a,?}]"}, {"z", "[{a,?}]"}}},
      {"groups end equal, whatever they lose",
       R"(x 8 = arg
          y 8 = arg
          z 8 = ew x
          w 8 = ew y
          group z w
          return z [{a,?}] w)",
       kAll,
       {{"z", "[{a,?}]"}, {"w", "[{a,?}]"}, {"y", "[{a,?}]"}}},
      {"a group is made equal at the start",
       R"(x 8 [{a}] = arg
          y 8 [{?}] = arg
          group x y
          return x y)",
       kAll,
       {{"y", "[{a}]"}}},
      {"user priorities: a of y comes first, so dimension 0 cannot have it later",
       R"(x 8x8 [{a,?}p1,{b}p2] = arg
          y 8x8 [{?},{a,?}] = arg
          z 8x8 = ew x y
          return z)",
       kAll,
       {{"x", "[{a,?},{b}]"}, {"y", "[{?},{a,?}]"}, {"z", "[{?},{a,?}]"}}},
      {"dead ops take part before they go",
       R"(x 8 = arg
          y 8 [{a,?}] = ew x
          return x)",
       kBasic,
       {{"x", ""}}},
      {"one value at two operands: the second answer stands",
       R"(x 8x8 = arg
          y 8x8 = op x x : ([i, j], [j, i])->([i, j]) {i=8, j=8}
          return y [{a,?},{b,?}])",
       kBasic,
       {{"x", "[{b,?},{a,?}]"}}},
  };
  for (const Case& c : cases) {
    TextProgram program(Axes(), c.text);
    const Expected got = program.Run(c.options);
    for (const auto& [name, sharding] : c.expected) {
      EXPECT_EQ(got.at(name), sharding) << c.what << ": " << name;
    }
  }
}

// x -> negate -> named computation { negate }; b is asked for by add(negate, y).
// After one run the computation's argument edge has not heard of it.
TEST(PropagateTest, AnArgumentEdgeIsNotWokenByItsOperand) {
  TestProgram p;
  const MeshId mesh = *p.meshes().Add("mesh", *Mesh::Create({{"a", 2}}));
  TensorSharding a(mesh, 1, /*is_closed=*/false);
  a.dim(0).axes = {AxisRef::Full(0)};
  const Tensor tensor = {{8}};
  OpSpec one, two, named;
  one.element_wise = two.element_wise = true;
  one.rule = p.rules().Intern(factors::IdentityRule({8}, 1, 1));
  two.rule = p.rules().Intern(factors::IdentityRule({8}, 2, 1));
  named.kind = OpKind::kNamedComputation;

  Value* const x = p.AddArgument(tensor);
  Value* const y = p.AddArgument({{8}, p.shardings().Intern(a)});
  Value* const negated = p.AddOp(one, {x}, {tensor})->result();
  Value* const called = p.AddOp(named, {negated}, {tensor})->result();
  p.OpenBlock();
  Value* const argument = p.AddArgument(tensor);
  Value* const argument_edge = p.AddEdge(argument);
  p.CloseBlock({p.AddOp(one, {argument_edge}, {tensor})->result()});
  Value* const result_edge = p.AddEdge(called);
  Value* const sum = p.AddOp(two, {negated, y}, {tensor})->result();
  ASSERT_TRUE(p.Return({result_edge, sum}, {kNoSharding, kNoSharding}).ok());

  const auto run = [&](const Options& options) {
    return *Propagate(p.numbered(), p.tables(), options, p.rule_source());
  };
  const Result once = run(kBasic);
  EXPECT_NE(once.shardings[negated->number()], kNoSharding);
  EXPECT_EQ(once.shardings[argument_edge->number()], kNoSharding);
  const Result levels = run(kLevels);
  EXPECT_NE(levels.ShardingOf(p.numbered(), argument->number()), kNoSharding);
  EXPECT_EQ(levels.shardings[result_edge->number()], levels.shardings[negated->number()]);
}

// op; ew(op)
class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    const MeshId mesh = *p.meshes().Add("mesh", *Mesh::Create(Axes()));
    TensorSharding a(mesh, 1, /*is_closed=*/false);
    a.dim(0).axes = {AxisRef::Full(0)};
    op = p.AddOp(OpSpec(), {}, {{{8}, p.shardings().Intern(a)}});
    ew = p.AddOp(OpSpec(), {op->result()}, {{{8}}});
    EXPECT_TRUE(p.Return({}, {}).ok());
  }
  TestProgram p;
  program::Op* op;
  program::Op* ew;
};

TEST_F(RulesTest, RulesAreAskedForOnceAtTheFirstVisit) {
  std::vector<OpId> asked;
  const Result result = *Propagate(p.numbered(), p.tables(), kAll, [&](OpId o) {
    asked.push_back(o);
    return o == op->number ? factors::kNoRule : p.rules().Intern(factors::IdentityRule({8}, 1, 1));
  });
  EXPECT_THAT(asked, ::testing::ElementsAre(op->number, ew->number));
  EXPECT_EQ(result.rules[op->number], factors::kNoRule);
  EXPECT_NE(result.rules[ew->number], factors::kNoRule);
  EXPECT_EQ(result.shardings[ew->result()->number()], op->result()->sharding());
}

TEST_F(RulesTest, AnErrorOfTheRuleSourceEndsTheRun) {
  int asked = 0;
  const auto result = Propagate(p.numbered(), p.tables(), kAll, [&](OpId) {
    ++asked;
    return absl::InvalidArgumentError("no such rule");
  });
  EXPECT_EQ(result.status(), absl::InvalidArgumentError("no such rule"));
  EXPECT_EQ(asked, 1);
}

TEST(PropagateTest, Faults) {
  struct Fault {
    const char* text;
    const char* message;
  };
  const Fault faults[] = {
      {"x 8x8 [{a}] = arg\n return x", "the sharding of value 0"},
      {"x 8 = arg\n y 8 = op x : ([i, j])->([i]) {i=8, j=8}\n return y", "does not fit"},
      {"x 8 [{a}] = arg\n y 8 [{b}] = arg\n group x y\n return x", "sharding group 0"},
  };
  for (const Fault& f : faults) {
    TextProgram t(Axes(), f.text);
    const absl::StatusOr<Result> result = Propagate(t.program(), t.tables(), kAll, t.rule_source());
    ASSERT_FALSE(result.ok()) << f.text;
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(f.message));
  }
}

TEST(PropagateTest, EqualStepsAreComputedOnce) {
  std::string text = "x 8x8 [{a,?},{?}] = arg\n v0 8x8 = ew x\n";
  for (int k = 1; k < 100; ++k) {
    text += "v" + std::to_string(k) + " 8x8 = ew v" + std::to_string(k - 1) + "\n";
  }
  TextProgram t(Axes(), text + "return v99");
  const Result result = *Propagate(t.program(), t.tables(), kAll, t.rule_source());
  EXPECT_GT(result.statistics.remembered, result.statistics.steps * 9 / 10);
  EXPECT_LT(result.statistics.steps, 400);
  EXPECT_EQ(result.statistics.runs, 5);
}

}  // namespace
}  // namespace tessera::sharding::propagation
