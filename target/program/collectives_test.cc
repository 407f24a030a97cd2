#include "tessera/target/program/collectives.h"

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

TEST(CollectivesTest, WhatACollectiveIs) {
  const DeviceProgram program(*hlo::ParseModule(R"(HloModule m, num_partitions=4

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(b, a)
}

twice {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, a)
}

ENTRY e {
  x = f32[2,3] parameter(0)
  g = f32[2,12] all-gather(x), dimensions={1}, channel_id=1, replica_groups={{0,1,2,3}}
  r = f32[2,3] all-reduce(x), to_apply=sum, replica_groups={}
  o = f32[2,3] all-reduce(x), to_apply=twice, replica_groups={}
  both = (f32[2,3], f32[2,3]) all-reduce(x, x), to_apply=sum, replica_groups={}
  ROOT t = (f32[2,12]) tuple(g)
}
)"));
  const auto find = [&](absl::string_view name) { return program.module().FindInstruction(name); };
  EXPECT_TRUE(IsCollective(program.opcode(find("g"))));
  EXPECT_FALSE(IsCollective(program.opcode(find("t"))));
  EXPECT_EQ(CollectiveDimension(program, find("g")), 1);
  EXPECT_EQ(ReductionOf(program, find("r")), Opcode::kAdd);
  EXPECT_EQ(ReductionOf(program, find("o")), std::nullopt);
  EXPECT_EQ(ReductionOf(program, find("g")), std::nullopt);
  EXPECT_EQ(ResultBytes(program, find("g")), 96);
  EXPECT_EQ(ResultBytes(program, find("both")), 48);
}

}  // namespace
}  // namespace tessera::target
