#include "tessera/pipeline/explained_module.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kLayer[] = R"(HloModule layer, num_partitions=8
ENTRY main {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
  w = f32[32,64] parameter(1), sharding={mesh['data'=4,'model'=2], [{}, {'model'}]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

absl::StatusOr<ExplainedModule> ExplainLayer() {
  auto module = hlo::ParseModule(kLayer);
  if (!module.ok()) return module.status();
  return ExplainModule(*std::move(module));
}

TEST(ExplainedModuleTest, SaysWhereAnAxisCameFrom) {
  auto made = ExplainLayer();
  ASSERT_TRUE(made.ok()) << made.status();
  const ExplainedModule m = *std::move(made);
  const auto why = m.Explain("y:1");
  ASSERT_TRUE(why.ok()) << why.status();
  EXPECT_THAT(*why, AllOf(HasSubstr("dim 1 has 'model'"), HasSubstr("y dim 1 <- w dim 1")));
  const auto why_not = m.Explain("y:1", "data");
  ASSERT_TRUE(why_not.ok()) << why_not.status();
  EXPECT_THAT(*why_not, HasSubstr("dim 1 does not have 'data'"));
  EXPECT_TRUE(m.notes().empty());
}

TEST(ExplainedModuleTest, TheStepsAreThereAsJson) {
  const auto m = ExplainLayer();
  ASSERT_TRUE(m.ok()) << m.status();
  const auto json = m->ExplainAsJson("y:0");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_THAT(*json, HasSubstr("\"rule\":\"([i, k], [k, j])->([i, j])\""));
}

TEST(ExplainedModuleTest, NamesThatFitNothingAreErrors) {
  const auto m = ExplainLayer();
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_THAT(m->Explain("z").status().message(), HasSubstr("z"));
  EXPECT_THAT(m->Explain("y", "pipe").status().message(), HasSubstr("pipe"));
}

}  // namespace
}  // namespace tessera::pipeline
