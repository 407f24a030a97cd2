#include "tessera/sharding/graph/run/number_graph.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::graph {
namespace {

constexpr char kModule[] =
    "ENTRY e {\n  p = f32[8] parameter(0)\n  n = f32[8] negate(p)\n  ROOT r = f32[8] abs(n)\n}\n";

class NumberGraphTest : public ::testing::Test {
 protected:
  NumberGraphTest() {
    context_.module = *hlo::ParseModule(kModule);
    status_ = passes::RunPasses(
        passes::Concatenate({passes::ImportPasses(), passes::PreparePasses({})}), &context_);
  }
  Graph& graph() { return *context_.graph; }
  // What makes the result.
  Op* Last() { return graph().entry()->body->terminator()->operand(0)->def(); }

  passes::Context context_;
  absl::Status status_;
};

TEST_F(NumberGraphTest, OpsAreNumberedInTheOrderOfTheProgram) {
  ASSERT_TRUE(status_.ok()) << status_;
  const auto numbered = NumberGraph(&graph());
  ASSERT_TRUE(numbered.ok()) << numbered.status();
  const Op* const reader = Last();
  EXPECT_EQ(numbered->op(reader->number), reader);
  EXPECT_LT(reader->operand(0)->def()->number, reader->number);
}

TEST_F(NumberGraphTest, AnOperandThatIsMadeLaterIsAnErrorAtItsReader) {
  ASSERT_TRUE(status_.ok()) << status_;
  graph().Move(Last(), InsertPoint::AtFront(graph().entry()->body));
  const absl::Status status = NumberGraph(&graph()).status();
  EXPECT_EQ(status.message(), "%r: an operand is made by no op before it");
  EXPECT_EQ(text::ErrorOffset(status), std::string(kModule).find("ROOT r"));
}

}  // namespace
}  // namespace tessera::sharding::graph
