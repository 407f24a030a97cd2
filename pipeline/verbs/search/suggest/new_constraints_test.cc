#include "tessera/pipeline/verbs/search/suggest/new_constraints.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Line 4 sums over devices, in the step and once more for its gradient; line 5 is large, and so is the result of line 6.
constexpr char kModule[] = R"(HloModule m, num_partitions=8,
    frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"data\"=8]>}"}
ENTRY main {
  x = f32[512,64] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"data\"}]>"}
  w = f32[64,512] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  z = f32[8192,512] parameter(2)
  d.1 = f32[512,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="step/dot_general" source_file="m.py" source_line=4}
  d.2 = f32[512,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="grad/dot_general" source_file="m.py" source_line=4}
  s = f32[8192,512] dot(z, d.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="step/square" source_file="m.py" source_line=5}
  ROOT y = f32[8192,512] dot(s, d.2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="step/square" source_file="m.py" source_line=6}
}
)";

std::vector<std::string> GroupsOf(const std::string& read_text, size_t most) {
  const auto costs =
      VariantCosts::Create(*hlo::ParseModule(kModule, "m.hlo"), ShardOptions(), "tpu-v5e:2x4");
  EXPECT_TRUE(costs.ok()) << costs.status();
  const auto input = costs->InputOf({});
  EXPECT_TRUE(input.ok()) << input.status();
  const hlo::Module read = *hlo::ParseModule(read_text, "read.hlo");
  std::vector<std::string> texts;
  for (const SearchGroup& group : NewConstraintGroups(*input, read, costs->InShardMaps({}), most)) {
    EXPECT_TRUE(group.is_constraint);
    texts.push_back(absl::StrCat(group.count, " ", group.pattern, " ", group.made_by, " ",
                                 group.lines.front()));
  }
  return texts;
}

TEST(NewConstraintsTest, AroundCollectivesAndAtThePeak) {
  EXPECT_THAT(GroupsOf(kModule, 8),
              ElementsAre("2 ^(d\\.1|d\\.2)$ dot_general m.py:4", "1 ^(s)$ square m.py:5"));
  EXPECT_THAT(GroupsOf(kModule, 1), ElementsAre("2 ^(d\\.1|d\\.2)$ dot_general m.py:4"));
}

// A line of the program does not make what the compiler makes of it.
TEST(NewConstraintsTest, WhatWasNotReadIsLeftOut) {
  EXPECT_THAT(GroupsOf(absl::StrReplaceAll(kModule, {{"d.1", "e.1"}, {"d.2", "e.2"}}), 8),
              ElementsAre("1 ^(s)$ square m.py:5"));
  EXPECT_THAT(GroupsOf("HloModule n\nENTRY e {\n  ROOT s = f32[8] parameter(0)\n}\n", 8),
              IsEmpty());
}

}  // namespace
}  // namespace tessera::pipeline
