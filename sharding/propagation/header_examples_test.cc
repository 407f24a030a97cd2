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
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/sharding/propagation/run/groups.h"
#include "tessera/sharding/propagation/step/direction.h"
#include "tessera/sharding/propagation/step/tables.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/sharding_table.h"
#include "tessera/testing/propagation/test_program.h"

namespace tessera::sharding::propagation {
namespace {

TEST(HeaderExamples, Direction) {
  EXPECT_EQ(Union(Direction::kForward, Direction::kBackward), Direction::kBoth);
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

  const Tables tables_;
  std::vector<std::string> lines_;
};

class PropagationExamples : public ::testing::Test {
 protected:
  PropagationExamples() {
    (void)*p.meshes().Add("mesh", *Mesh::Create({{"a", 2}, {"b", 4}}));
    x_sharding = p.shardings().Intern(*ParseSharding("<@mesh, [{\"a\"}, {\"b\"}]>", p.meshes()));
  }

  std::string Text(ShardingId id) {
    return id == kNoSharding ? "-" : PrintSharding(p.shardings()[id], p.meshes());
  }

  TestProgram p;
  ShardingId x_sharding = kNoSharding;
};

TEST_F(PropagationExamples, TestProgramAndPropagate) {
  OpSpec pointwise;
  pointwise.element_wise = true;
  pointwise.flow = OpPriorityClass::kPassThrough;
  program::Value* const x = p.AddArgument({{8, 16}, x_sharding});
  program::Value* const y = p.AddOp(pointwise, {x}, {{{8, 16}}})->result();
  program::Value* const z = p.AddOp(pointwise, {y, x}, {{{8, 16}}})->result();
  absl::Status status = p.Return({z}, {kNoSharding});
  ASSERT_TRUE(status.ok()) << status;

  const NumberedProgram& numbered = p.numbered();
  const OpId op = z->def()->number;
  for (ValueId v : numbered.tensors(op)) EXPECT_EQ(numbered.rank(v), 2);
  EXPECT_EQ(numbered.value(x->number()).sharding(), x_sharding);

  factors::RuleTable& rules = p.rules();
  const auto derive = [&](OpId o) {
    return factors::IdentityRule({8, 16}, static_cast<int>(numbered.operands(o).size()), 1);
  };
  Options options;
  absl::StatusOr<Result> result =
      Propagate(numbered, p.tables(), options, [&](OpId o) { return rules.Intern(derive(o)); });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Text(result->ShardingOf(numbered, z->number())), "<@mesh, [{\"a\", ?}, {\"b\", ?}]>");

  options.schedule = Schedule::kFlat;
  options.strategy = Strategy::kBasic;
  Log log(p.tables());
  ASSERT_TRUE(
      Propagate(
          numbered, p.tables(), options, [&](OpId o) { return rules.Intern(derive(o)); }, &log)
          .ok());
  EXPECT_THAT(log.lines(), ::testing::Contains("1 <@mesh, [{\"a\", ?}, {\"b\", ?}]>"));
}

TEST_F(PropagationExamples, Groups) {
  const std::vector<ShardingId> member_shardings = {kNoSharding, x_sharding};
  GroupSharding v = ResolveGroupSharding(member_shardings, p.shardings());
  EXPECT_EQ(v.kind, GroupSharding::kAgree);
  EXPECT_EQ(v.sharding, x_sharding);
}

}  // namespace
}  // namespace tessera::sharding::propagation
