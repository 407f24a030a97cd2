#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

// The result is the program of one device.
TEST(PartitionVerbTest, WhatIsPartitionedAlreadyIsSaid) {
  const std::string lowered =
      TestFile("lowered.hlo",
               "HloModule m, num_partitions=4\n"
               "ENTRY e {\n"
               "  x = f32[8,8] parameter(0), sharding={devices=[1,4]<=[4]}\n"
               "  ROOT y = f32[8,8] dot(x, x), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]}\n"
               "}\n");
  const Outcome once = RunTessera({PartitionVerb()}, {"partition", lowered});
  ASSERT_EQ(once.exit, 0) << once.err;
  const std::string device = TestFile("device.hlo", once.out);
  const Outcome twice = RunTessera({PartitionVerb()}, {"partition", device});
  EXPECT_EQ(twice.exit, 2) << twice.out;
  EXPECT_THAT(twice.err, HasSubstr("the module is partitioned (the name of the entry, 'e_spmd')"));
  EXPECT_THAT(RunTessera({PartitionVerb()}, {"partition", device, "--json"}).err,
              HasSubstr("the module is partitioned"));
  EXPECT_THAT(RunTessera({PartitionVerb()}, {"partition", device, "--as-is"}).err,
              ::testing::Not(HasSubstr("the module is partitioned (")));
}

}  // namespace
}  // namespace tessera::pipeline
