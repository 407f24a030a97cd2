// Whole runs on small programs, each made to show one thing.

#include "tessera/sharding/propagation/propagate.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/sharding/propagation/testing/text_program.h"

namespace tessera::sharding::propagation {
namespace {

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
  MeshTable meshes;
  ShardingTable shardings;
  factors::RuleTable rules;
  const MeshId mesh = *meshes.Add("mesh", *Mesh::Create({{"a", 2}}));
  TensorSharding a(mesh, 1, /*is_closed=*/false);
  a.dim(0).axes = {AxisRef::Full(0)};
  const RuleId one = rules.Intern(factors::IdentityRule({8}, 1, 1));
  const RuleId two = rules.Intern(factors::IdentityRule({8}, 2, 1));

  ProgramBuilder b;
  const ShapeId shape = b.AddShape({8});
  ValueId v[9];
  for (int k = 0; k < 9; ++k) v[k] = b.AddValue(shape, k == 1 ? shardings.Intern(a) : kNoSharding);
  const auto add = [&](OpKind kind, OpId parent, RuleId rule, std::vector<ValueId> operands,
                       std::vector<ValueId> results) {
    OpSpec spec;
    spec.kind = kind;
    spec.parent = parent;
    spec.rule = rule;
    spec.element_wise = true;
    return b.AddOp(spec, operands, results);
  };
  const OpId main = add(OpKind::kFunction, kNone, factors::kNoRule, {}, {});
  b.AddBlockArgument(main, v[0]);
  b.AddBlockArgument(main, v[1]);
  add(OpKind::kPlain, main, one, {v[0]}, {v[2]});
  const OpId named = add(OpKind::kNamedComputation, main, factors::kNoRule, {v[2]}, {v[6]});
  b.AddBlockArgument(named, v[3]);
  add(OpKind::kDataFlowEdge, named, kAskForRule, {v[3]}, {v[4]});
  add(OpKind::kPlain, named, one, {v[4]}, {v[5]});
  add(OpKind::kTerminator, named, factors::kNoRule, {v[5]}, {});
  add(OpKind::kDataFlowEdge, main, kAskForRule, {v[6]}, {v[7]});
  add(OpKind::kPlain, main, two, {v[2], v[1]}, {v[8]});
  add(OpKind::kReturn, main, factors::kNoRule, {v[7], v[8]}, {});
  EdgeSpec argument, result;
  argument.owner = v[3];
  argument.result = v[4];
  argument.sources = {v[2]};
  b.AddEdge(argument);
  result.owner = v[6];
  result.result = v[7];
  result.sources = {v[5]};
  b.AddEdge(result);
  const Program program = *std::move(b).Build();

  const Tables tables{&meshes, &shardings, &rules};
  const Result once = *Propagate(program, tables, kBasic);
  EXPECT_NE(once.shardings[v[2]], kNoSharding);
  EXPECT_EQ(once.shardings[v[4]], kNoSharding);
  const Result levels = *Propagate(program, tables, kLevels);
  EXPECT_NE(levels.ShardingOf(program, v[3]), kNoSharding);
  EXPECT_EQ(levels.shardings[v[7]], levels.shardings[v[2]]);
}

TEST(PropagateTest, RulesAreAskedForOnceAtTheFirstVisit) {
  TextProgram t(Axes(), "x 8 [{a,?}] = arg\n return x");
  ProgramBuilder b;
  const ShapeId shape = b.AddShape({8});
  const ValueId x = b.AddValue(shape, t.program().sharding(0)), y = b.AddValue(shape);
  OpSpec spec;
  const OpId op = b.AddOp(spec, {}, {x});
  const OpId ew = b.AddOp(spec, {x}, {y});
  const Program program = *std::move(b).Build();
  std::vector<OpId> asked;
  const Result result = *Propagate(program, t.tables(), kAll, [&](OpId o) {
    asked.push_back(o);
    if (o == op) return factors::kNoRule;
    return RuleId{t.tables().rules->Intern(factors::IdentityRule({8}, 1, 1))};
  });
  EXPECT_THAT(asked, ::testing::ElementsAre(op, ew));
  EXPECT_EQ(result.rules[op], factors::kNoRule);
  EXPECT_NE(result.rules[ew], factors::kNoRule);
  EXPECT_EQ(t.Text(result.shardings[y]), "[{a,?}]");
}

TEST(PropagateTest, AnErrorOfTheRuleSourceEndsTheRun) {
  TextProgram t(Axes(), "x 8 [{a,?}] = arg\n return x");
  ProgramBuilder b;
  const ShapeId shape = b.AddShape({8});
  const ValueId x = b.AddValue(shape, t.program().sharding(0)), y = b.AddValue(shape);
  b.AddOp(OpSpec(), {}, {x});
  b.AddOp(OpSpec(), {x}, {y});
  int asked = 0;
  const auto result = Propagate(*std::move(b).Build(), t.tables(), kAll, [&](OpId) {
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
    const absl::StatusOr<Result> result = Propagate(t.program(), t.tables(), kAll);
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
  const Result result = *Propagate(t.program(), t.tables(), kAll);
  EXPECT_GT(result.statistics.remembered, result.statistics.steps * 9 / 10);
  EXPECT_LT(result.statistics.steps, 400);
  EXPECT_EQ(result.statistics.runs, 5);
}

}  // namespace
}  // namespace tessera::sharding::propagation
