// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reshard/explicit_reshards.h"
#include "tessera/sharding/reshard/to_target.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::reshard {
namespace {

using propagation::ParseShort;
using propagation::ToShort;
using ::testing::IsEmpty;

class ReshardExamples : public ::testing::Test {
 protected:
  explicit ReshardExamples(const std::vector<MeshAxis>& axes) {
    (void)*meshes.Add("mesh", *Mesh::Create(axes));
  }
  TensorSharding Parse(const char* text) const { return *ParseShort(text, 0, meshes.mesh(0)); }
  std::string Text(const TensorSharding& s) const { return ToShort(s, meshes.mesh(0)); }

  MeshTable meshes;
};

class OnA : public ReshardExamples {
 protected:
  OnA() : ReshardExamples({{"a", 2}}) {}
};

TEST_F(OnA, ExplicitReshards) {
  const factors::OpShardingRule rule =
      *factors::ParseRule("([i, k], [k, j])->([i, j]) {i=4, j=4, k=8} reduction={k}");
  const TensorSharding a = Parse("[{a},{}]"), b = Parse("[{},{a}]"), c = Parse("[{a},{}]");
  OpReshardQuery query;
  query.rule = &rule;
  query.version = Version::kFull;
  query.operands = {{&a, 4 * 8}, {&b, 8 * 4}};
  query.results = {{&c, 4 * 4}};
  OpReshards plan = PlanOpReshards(query, meshes);
  EXPECT_EQ(Text(*plan.operands[1]), "[{},{}]");
  EXPECT_EQ(Text(*plan.results[0].sharding), "[{a},{}]");
  EXPECT_THAT(plan.results[0].all_reduce, IsEmpty());
  EXPECT_FALSE(plan.results[0].reshard.has_value());
}

TEST_F(OnA, ToTarget) {
  const TensorSharding from = Parse("[{}] unred{a}"), to = Parse("[{}]");
  std::string value = "v";
  const auto steps = ToTarget(&from, &to, Version::kMinimal, meshes);
  for (const Conversion& c : *steps) {
    if (c.kind == ConversionKind::kAllReduce) value = "sum(" + value + ") " + Text(c.sharding);
  }
  EXPECT_EQ(value, "sum(v) [{}]");
}

}  // namespace
}  // namespace tessera::sharding::reshard
