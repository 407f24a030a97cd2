// Why an axis is not there, on modules of a few lines. The case family explain_whynot has the
// smallest module of each kind; every golden module is asked about in
// pipeline/explain/verdicts_test.cc.

#include "tessera/sharding/explain/whynot/why_not.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/explain/value_names.h"
#include "tessera/testing/explain/module_text.h"
#include "tessera/testing/explain/observed_module.h"

namespace tessera::sharding::explain {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class Asked {
 public:
  explicit Asked(const std::string& entry) : module_(*ObserveText(ModuleText(entry))) {
    why_not_ = std::make_unique<WhyNot>(*module_.log);
  }

  SlotId Slot(const std::string& name) const {
    const hlo::InstructionId id = module_.log->program().module().FindInstruction(name);
    return module_.log->SlotOf(ValueNames(*module_.log).ValueOf(id, 0));
  }
  std::vector<Verdict> Ask(const std::string& name, int dim, std::vector<AskedAxis> axes) {
    return why_not_->Ask(Slot(name), dim, axes);
  }
  RefusalKind KindAt(const std::string& name, int dim, const std::string& axis) {
    return Ask(name, dim, {{axis}}).at(0).headline.kind;
  }

 private:
  ObservedModule module_;
  std::unique_ptr<WhyNot> why_not_;
};

std::string Parameter(const std::string& name, const std::string& shape, int number,
                      const std::string& said) {
  return absl::StrCat("  %", name, " = f32[", shape, "] parameter(", number, "), ", Said(said),
                      "\n");
}

TEST(WhyNotTest, TheLargerSourceWins) {
  Asked asked(absl::StrCat(
      Parameter("x", "8,32", 0, "{'a', ?}, {?}"), Parameter("w", "32,16", 1, "{?}, {'a', ?}"),
      "  ROOT %y = f32[8,16] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"));
  const std::vector<Verdict> verdicts = asked.Ask("y", 0, {{"a"}, {"b"}});
  ASSERT_THAT(verdicts, SizeIs(2));
  const Refusal& lost = verdicts[0].headline;
  EXPECT_EQ(lost.kind, RefusalKind::kLostConflict);
  EXPECT_EQ(lost.tie_break, TieBreak::kLargerSource);
  EXPECT_EQ(lost.winner_elements, 512);
  EXPECT_EQ(lost.loser_elements, 256);
  EXPECT_EQ(lost.winner.slot, asked.Slot("w"));
  EXPECT_EQ(lost.winner.dim, 1);
  EXPECT_EQ(verdicts[0].distance, 1);
  EXPECT_EQ(verdicts[1].headline.kind, RefusalKind::kNeverRequested);
}

TEST(WhyNotTest, WhatIsThereHasNoVerdict) {
  Asked asked(absl::StrCat(Parameter("x", "8", 0, "{'a', ?}"), "  ROOT %y = f32[8] sine(%x)\n"));
  EXPECT_THAT(asked.Ask("y", 0, {{"a"}}), IsEmpty());
}

TEST(WhyNotTest, OfAPartTheRest) {
  Asked asked(
      absl::StrCat(Parameter("x", "6,4", 0, "{'c', ?}, {?}"), "  ROOT %y = f32[24] reshape(%x)\n"));
  const std::vector<Verdict> verdicts = asked.Ask("y", 0, {{"c"}});
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].axis.pre, 2);
  EXPECT_EQ(verdicts[0].axis.size, 2);
  EXPECT_EQ(verdicts[0].headline.kind, RefusalKind::kNotDivisible);
  EXPECT_EQ(verdicts[0].headline.size_have, 6);
  EXPECT_EQ(verdicts[0].headline.kept, AxisRef::Sub(2, 1, 2));
}

TEST(WhyNotTest, FarAway) {
  Asked asked(absl::StrCat(Parameter("x", "16,8", 0, "{'a', ?}, {?}"),
                           Parameter("w", "16,8", 1, "{'b', ?}, {?}"),
                           "  %s = f32[16,8] sine(%x)\n"
                           "  %k = f32[16,8] custom-call(%s), custom_call_target=\"Sharding\", ",
                           SaidOfResult("{}, {}"), "\n  ROOT %y = f32[16,8] add(%k, %w)\n"));
  const std::vector<Verdict> verdicts = asked.Ask("y", 0, {{"a"}});
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].headline.kind, RefusalKind::kClosedDimension);
  EXPECT_EQ(verdicts[0].headline.to.slot, asked.Slot("s"));
  EXPECT_GE(verdicts[0].headline.annotation, 0);
  EXPECT_EQ(verdicts[0].distance, 3);
  ASSERT_THAT(verdicts[0].path, SizeIs(4));
  EXPECT_EQ(verdicts[0].path.front().slot, asked.Slot("x"));
  EXPECT_EQ(verdicts[0].path.back().slot, asked.Slot("y"));
}

TEST(WhyNotTest, AfterARefusedAxis) {
  Asked asked(absl::StrCat(Parameter("x", "16,16", 0, "{'a', 'b', ?}, {?}"),
                           Parameter("w", "16,16", 1, "{?}, {'a', ?}"),
                           "  ROOT %y = f32[16,16] add(%x, %w)\n"));
  const std::vector<Verdict> verdicts = asked.Ask("w", 0, {{"b"}});
  ASSERT_THAT(verdicts, SizeIs(1));
  ASSERT_EQ(verdicts[0].headline.kind, RefusalKind::kBehindRefusedAxis);
  ASSERT_NE(verdicts[0].headline.inner, nullptr);
  EXPECT_EQ(verdicts[0].headline.inner->kind, RefusalKind::kAxisInUse);
}

// A dimension that ends at an op is a blocking op; one that goes through is not.
TEST(WhyNotTest, BlockingOps) {
  Asked asked(absl::StrCat(
      Parameter("x", "16,32", 0, "{?}, {'a', ?}"), Parameter("w", "32,16", 1, "{?}, {'b', ?}"),
      "  %y = f32[16,16] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  %c = f32[16,16] custom-call(%y), custom_call_target=\"mine\"\n"
      "  ROOT %z = f32[16,16] sine(%c)\n"));
  EXPECT_EQ(asked.KindAt("y", 0, "a"), RefusalKind::kNoSharedFactor);
  EXPECT_EQ(asked.KindAt("y", 0, "b"), RefusalKind::kUnreachable);
  EXPECT_EQ(asked.KindAt("z", 1, "b"), RefusalKind::kNoRule);
}

TEST(WhyNotTest, AnInstructionThatNobodyNeeds) {
  pipeline::ShardOptions as_it_is;
  as_it_is.stage = pipeline::Stage::kPass;
  const auto module = ObserveText(ModuleText(absl::StrCat(Parameter("x", "8", 0, "{'a', ?}"),
                                                          "  %dead = f32[8] sine(%x)\n"
                                                          "  ROOT %y = f32[8] cosine(%x)\n")),
                                  as_it_is);
  ASSERT_TRUE(module.ok());
  const hlo::InstructionId dead = module->log->program().module().FindInstruction("dead");
  EXPECT_EQ(WhyNot(*module->log).KindWithoutTensor(dead), RefusalKind::kDeadCode);
}

TEST(WhyNotTest, WordsOfTheKinds) {
  EXPECT_STREQ(KindWord(RefusalKind::kGroupConflict), "group_conflict");
  EXPECT_STREQ(KindWord(RefusalKind::kEarlierLevel), "earlier_level");
  EXPECT_STREQ(KindWord(RefusalKind::kBoundarySubAxis), "boundary_sub_axis");
  EXPECT_STREQ(KindWord(RefusalKind::kDefect), "defect");
  EXPECT_LT(KindRank(RefusalKind::kClosedDimension), KindRank(RefusalKind::kLostConflict));
  EXPECT_LT(KindRank(RefusalKind::kLostConflict), KindRank(RefusalKind::kNotDivisible));
}

}  // namespace
}  // namespace tessera::sharding::explain
