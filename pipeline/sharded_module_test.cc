#include "tessera/pipeline/sharded_module.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

constexpr char kLayer[] = R"(HloModule layer, num_partitions=8
ENTRY main {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
  w = f32[32,64] parameter(1), sharding={mesh['data'=4,'model'=2], [{}, {'model'}]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

absl::StatusOr<ShardedModule> ShardText(const char* text) {
  auto module = hlo::ParseModule(text);
  if (!module.ok()) return module.status();
  return Shard(*std::move(module));
}

TEST(ShardedModuleTest, TensorsAreFoundByName) {
  auto sharded = ShardText(kLayer);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  const ShardedModule module = *std::move(sharded);  // names and tensors move along
  ASSERT_EQ(module.tensors().size(), 3u);
  EXPECT_EQ(module.Find("x")->spec, "P('data', None)");
  EXPECT_EQ(module.Find("y"), &module.tensors()[2]);
  EXPECT_EQ(module.Find("result"), &module.results()[0]);
  EXPECT_EQ(module.Find("z"), nullptr);
}

TEST(ShardedModuleTest, ShardingsHaveTypes) {
  const auto module = ShardText(kLayer);
  ASSERT_TRUE(module.ok()) << module.status();
  const Tensor& result = module->results().at(0);
  ASSERT_NE(result.sharding, nullptr);
  ASSERT_EQ(result.sharding->dim(1).axes.size(), 1u);
  EXPECT_EQ(result.mesh->axis(result.sharding->dim(1).axes[0].axis()).name, "model");
}

TEST(ShardedModuleTest, TheTextIsThatOfTheCommand) {
  const auto module = ShardText(kLayer);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto text = module->ToHlo();
  ASSERT_TRUE(text.ok()) << text.status();
  const auto from_command = ShardModule(*hlo::ParseModule(kLayer), {});
  ASSERT_TRUE(from_command.ok()) << from_command.status();
  EXPECT_EQ(*text, from_command->text);
}

TEST(ShardedModuleTest, AMistakeIsAnErrorWithItsPlace) {
  const auto module = ShardText(R"(HloModule m
ENTRY e {
  ROOT x = f32[8] parameter(0), sharding={mesh['a'=2], [{'b'}]}
})");
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(module.status().message(), HasSubstr("3:"));
}

}  // namespace
}  // namespace tessera::pipeline
