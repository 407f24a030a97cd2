#include "tessera/target/program/provenance.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProvenanceTest : public ::testing::Test {
 protected:
  ProvenanceTest()
      : program_(*hlo::ParseModule(R"(HloModule m, num_partitions=4

ENTRY e {
  x = f32[2] parameter(0)
  y = f32[3] parameter(1)
  a = f32[8] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}
  b = f32[12] all-gather(y), dimensions={0}, channel_id=2, replica_groups={{0,1,2,3}}
  ROOT t = (f32[8], f32[12]) tuple(a, b)
}
)")),
        origins_(program_) {}

  InstructionId Find(absl::string_view name) const {
    return program_.module().FindInstruction(name);
  }

  DeviceProgram program_;
  Provenance origins_;
};

TEST_F(ProvenanceTest, CollectivesOfTheModuleComeFromThemselves) {
  const CollectiveOrigin& origin = origins_.Of(Find("a"));
  ASSERT_EQ(origin.parts.size(), 1u);
  EXPECT_THAT(origin.parts[0].sources, ElementsAre(Find("a")));
  EXPECT_EQ(origin.made_by, "");
  EXPECT_THAT(origins_.Of(Find("x")).parts, IsEmpty());
}

TEST_F(ProvenanceTest, OneThatDoesTheWorkOfSeveralHasOnePart) {
  origins_.Set("first", program_, Find("t"), {Find("b"), Find("a"), Find("b")});
  const CollectiveOrigin& origin = origins_.Of(Find("t"));
  EXPECT_EQ(origin.made_by, "first");
  ASSERT_EQ(origin.parts.size(), 1u);
  EXPECT_THAT(origin.parts[0].sources, ElementsAre(Find("a"), Find("b")));
}

TEST_F(ProvenanceTest, OneThatMovesWhatSeveralMovedHasTheirParts) {
  origins_.Combine("second", Find("t"), {Find("b"), Find("a")});
  const CollectiveOrigin& origin = origins_.Of(Find("t"));
  ASSERT_EQ(origin.parts.size(), 2u);
  EXPECT_EQ(origin.parts[0].shape.dim(0), 12);
  EXPECT_THAT(origin.parts[0].sources, ElementsAre(Find("b")));
  origins_.Copy(Find("t"), Find("x"));
  EXPECT_EQ(origins_.Of(Find("x")).parts.size(), 2u);
  EXPECT_EQ(origins_.Of(Find("x")).made_by, "second");
}

}  // namespace
}  // namespace tessera::target
