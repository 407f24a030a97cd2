// Small modules of our own, one or more for each op family: dense, by halves, by cells, by devices,
// with every poison. The list is also a check that each opcode with a kernel is run at least once.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/modules/small_modules.h"
#include "tessera/testing/evaluator/sharded/agreement.h"
#include "tessera/testing/evaluator/sharded/sharded.h"

namespace tessera::testing::evaluator {
namespace {

class SmallModule : public ::testing::TestWithParam<SmallModuleText> {};

TEST_P(SmallModule, AgreesInAllRuns) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(TextOf(GetParam()));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<BlockRules> runs = {{CutInCells, Poison::kNan, /*minimal=*/true}};
  const absl::StatusOr<ShardedRun> sharded = ShardedRun::Create(*module, {});
  for (Poison poison : kPoisons) {
    runs.push_back({CutInHalves, poison});
    runs.push_back({CutInCells, poison});
    if (sharded.ok()) runs.push_back(sharded->Rules(poison));
  }
  const Agreement a = CheckAgreement(*module, runs);
  EXPECT_EQ(a.outcome, Agreement::Outcome::kAgrees) << a.why;
  EXPECT_GT(a.blocks, 0);
}

INSTANTIATE_TEST_SUITE_P(All, SmallModule, ::testing::ValuesIn(SmallModules()),
                         [](const auto& info) { return std::string(info.param.name); });

// An identity whose author claims that it reads the transposed cell: each poison shows it.
TEST(WrongSignature, IsFound) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(TextOf(
      {"",
       R"(p = f32[4,4] parameter(0) ROOT c = f32[4,4] custom-call(p), custom_call_target="Sharding",
frontend_attributes={tessera.projection="ij->ji"})"}));
  ASSERT_TRUE(module.ok()) << module.status();
  for (Poison poison : kPoisons) {
    const Agreement a = CheckAgreement(*module, {{CutInHalves, poison}});
    EXPECT_EQ(a.outcome, Agreement::Outcome::kDiffers);
    EXPECT_THAT(a.why, ::testing::HasSubstr("c: array 0, block zr["));
  }
}

TEST(SmallModules, RunEveryKernel) {
  std::set<Opcode> run;
  for (const SmallModuleText& text : SmallModules()) {
    const absl::StatusOr<hlo::Module> module = hlo::ParseModule(TextOf(text));
    ASSERT_TRUE(module.ok()) << text.name << module.status();
    for (hlo::InstructionId id = 0; id < module->num_instructions(); ++id)
      run.insert(module->instruction(id).opcode);
  }
  std::string missing;
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    if (KernelOf(opcode) != nullptr && run.count(opcode) == 0)
      absl::StrAppend(&missing, " ", hlo::OpcodeName(opcode));
  }
  EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace tessera::testing::evaluator
