#include "tessera/sharding/passes/propagate/number_program.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::passes {
namespace {

constexpr char kModule[] =
    "ENTRY e {\n  p = f32[8] parameter(0)\n  n = f32[8] negate(p)\n  ROOT r = f32[8] abs(n)\n}\n";

class NumberProgramTest : public ::testing::Test {
 protected:
  NumberProgramTest() {
    context_.module = *hlo::ParseModule(kModule);
    status_ = RunPasses(Concatenate({ImportPasses(), PreparePasses({})}), &context_);
  }
  HloProgram& program() { return *context_.program; }
  // The op that makes the result.
  Op* Last() { return program().entry()->body->terminator()->operand(0)->def(); }

  Context context_;
  absl::Status status_;
};

TEST_F(NumberProgramTest, OpsAreNumberedInTheOrderOfTheProgram) {
  ASSERT_TRUE(status_.ok()) << status_;
  const auto numbered = NumberProgram(&program());
  ASSERT_TRUE(numbered.ok()) << numbered.status();
  const Op* const reader = Last();
  EXPECT_EQ(numbered->op(reader->number), reader);
  EXPECT_LT(reader->operand(0)->def()->number, reader->number);
}

TEST_F(NumberProgramTest, AnOperandThatIsMadeLaterIsAnErrorAtItsReader) {
  ASSERT_TRUE(status_.ok()) << status_;
  program().Move(Last(), InsertPoint::AtFront(program().entry()->body));
  const absl::Status status = NumberProgram(&program()).status();
  EXPECT_EQ(status.message(), "%r: an operand is made by no op before it");
  EXPECT_EQ(text::ErrorOffset(status), std::string(kModule).find("ROOT r"));
}

}  // namespace
}  // namespace tessera::sharding::passes
