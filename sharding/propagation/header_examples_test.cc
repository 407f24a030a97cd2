// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/program.h"
#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/sharding/propagation/run/groups.h"
#include "tessera/sharding/propagation/step/direction.h"
#include "tessera/sharding/propagation/step/tables.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::propagation {
namespace {

using ::testing::ElementsAre;

TEST(HeaderExamples, Direction) {
  EXPECT_EQ(Union(Direction::kForward, Direction::kBackward), Direction::kBoth);
  EXPECT_EQ(Intersection(Direction::kForward, Direction::kBackward), Direction::kNone);
}

// One line for each change.
class Log : public Observer {
 public:
  explicit Log(const Tables& tables) : tables_(tables) {}
  void OnWrite(const WriteEvent& e) override { lines_.push_back(Describe(e)); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string Describe(const WriteEvent& e) const {
    return std::to_string(e.value) + " " +
           PrintSharding((*tables_.shardings)[e.after], *tables_.meshes);
  }

  const Tables& tables_;
  std::vector<std::string> lines_;
};

class PropagationExamples : public ::testing::Test {
 protected:
  PropagationExamples() {
    (void)*meshes.Add("mesh", *Mesh::Create({{"a", 2}, {"b", 4}}));
    x_sharding = shardings.Intern(*ParseSharding("<@mesh, [{\"a\"}, {\"b\"}]>", meshes));
  }

  // x = argument; y = negate(x); z = add(y, x); return z
  absl::StatusOr<Program> Build() {
    ProgramBuilder b;
    const ShapeId shape = b.AddShape({8, 16});
    const ValueId x = b.AddValue(shape, x_sharding);
    const ValueId y = b.AddValue(shape);
    const ValueId z = b.AddValue(shape);
    OpSpec function, pointwise, ret;
    function.kind = OpKind::kFunction;
    const OpId main = b.AddOp(function);
    b.AddBlockArgument(main, x);
    pointwise.parent = main;
    pointwise.element_wise = true;
    pointwise.flow = OpPriorityClass::kPassThrough;
    const OpId negate = b.AddOp(pointwise, {x}, {y});
    const OpId add = b.AddOp(pointwise, {y, x}, {z});
    ret.kind = OpKind::kReturn;
    ret.parent = main;
    b.AddOp(ret, {z});
    b.AddOutput({z, kNoSharding});
    b.SetUses(x, {{add, 1}, {negate, 0}});  // the default order, as it happens
    return std::move(b).Build();
  }

  std::string Text(ShardingId id) const {
    return id == kNoSharding ? "-" : PrintSharding(shardings[id], meshes);
  }

  MeshTable meshes;
  ShardingTable shardings;
  factors::RuleTable rules;
  Tables tables{&meshes, &shardings, &rules};
  ShardingId x_sharding = kNoSharding;
};

TEST_F(PropagationExamples, ProgramBuilderAndPropagate) {
  absl::StatusOr<Program> program = Build();
  ASSERT_TRUE(program.ok()) << program.status();
  const OpId op = 1;
  std::vector<Use> uses;
  for (ValueId x : program->results(op)) {
    uses.insert(uses.end(), program->uses(x).begin(), program->uses(x).end());
  }
  EXPECT_THAT(uses, ElementsAre(Use{2, 0}));

  const auto derive = [&](OpId o) {
    return factors::IdentityRule({8, 16}, static_cast<int>(program->operands(o).size()), 1);
  };
  Options options;
  absl::StatusOr<Result> result =
      Propagate(*program, tables, options, [&](OpId o) { return rules.Intern(derive(o)); });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Text(result->ShardingOf(*program, 2)), "<@mesh, [{\"a\", ?}, {\"b\", ?}]>");

  options.schedule = Schedule::kFlat;
  options.strategy = Strategy::kBasic;
  Log log(tables);
  ASSERT_TRUE(Propagate(
                  *program, tables, options, [&](OpId o) { return rules.Intern(derive(o)); }, &log)
                  .ok());
  EXPECT_THAT(log.lines(), ::testing::Contains("1 <@mesh, [{\"a\", ?}, {\"b\", ?}]>"));
}

TEST_F(PropagationExamples, Groups) {
  const std::vector<ShardingId> member_shardings = {kNoSharding, x_sharding};
  GroupSharding v = ResolveGroupSharding(member_shardings, shardings);
  EXPECT_EQ(v.kind, GroupSharding::kAgree);
  EXPECT_EQ(v.sharding, x_sharding);
}

}  // namespace
}  // namespace tessera::sharding::propagation
