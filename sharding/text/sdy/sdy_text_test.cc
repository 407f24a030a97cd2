#include "tessera/sharding/sdy_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SdyTextTest, ReadsAndPrintsShardings) {
  const struct {
    const char *in, *out;  // out empty: the same
  } cases[] = {
      {"<@m, []>", ""},
      {"<@m, [{}, {?}, {\"x\"}, {\"x\", \"y\", ?}]>", ""},
      {"<@m, [{\"x\":(2)4}p0, {?}p17]>", ""},
      {"<@m, [{}], replicated={\"x\", \"y\":(1)2}, unreduced={\"z\"}>", ""},
      {"<@m, [{}], unreduced={\"z\"}, replicated={\"x\"}>",
       "<@m, [{}], replicated={\"x\"}, unreduced={\"z\"}>"},
      {"<@m, [{}], unreduced=sum{\"z\"}>", "<@m, [{}], unreduced={\"z\"}>"},
      {"<@m, [{}], unreduced{\"z\"}>", "<@m, [{}], unreduced={\"z\"}>"},
      {"<@m, [{}], unreduced=min{\"z\"}>", ""},
      {" #sdy.sharding< @m,[{ \"x\" , ? } p1 ] > ", "<@m, [{\"x\", ?}p1]>"},
      {"#sdy<sharding<@m, [{}]>>", "<@m, [{}]>"},
      {"<@m, [#sdy<dimension_sharding{\"x\", ?}p1>]>", "<@m, [{\"x\", ?}p1]>"},
      {"<@m, [], replicated={\"y\", #sdy<axis_ref\"x\":(1)2>}>",
       "<@m, [], replicated={\"y\", \"x\":(1)2}>"},
      {"<@\"m\", [{}]>", "<@m, [{}]>"},
      {"<@\"two words\", [{}]>", ""},
      {"<@a.b$c_1, []>", ""},
      {"<mesh<[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>, [{\"y\"}]>", ""},
      {"<@m, [{\"tab\\09\", \"quote\\22\", \"back\\\\slash\"}]>", ""},
      {"<@m, [{\"q\\\"\", \"n\\n\"}]>", "<@m, [{\"q\\22\", \"n\\0A\"}]>"},
  };
  for (const auto& c : cases) {
    const auto parsed = ParseShardingText(c.in);
    ASSERT_TRUE(parsed.ok()) << c.in << ": " << parsed.status();
    EXPECT_EQ(ToString(*parsed), c.out[0] == '\0' ? c.in : c.out);
  }
}

TEST(SdyTextTest, PointsAtMistakes) {
  const struct {
    const char* in;
    size_t offset;
    const char* message;
  } cases[] = {
      {"", 0, "'<' before a sharding"},
      {"#sdy.mesh<[]>", 5, "#sdy.sharding"},
      {"<m, []>", 1, "'@' and a mesh name"},
      {"<@, []>", 2, "name of a mesh"},
      {"<@m []>", 4, "',' after the mesh"},
      {"<@m, [{x}]>", 7, "name in double quotes"},
      {"<@m, [{\"x\" \"y\"}]>", 11, "'}' or ','"},
      {"<@m, [{?, \"x\"}]>", 8, "'?', which must be the last"},
      {"<@m, [{\"x\",}]>", 11, "name in double quotes"},
      {"<@m, [{},]>", 9, "'{' before the axes"},
      {"<@m, [{}q1]>", 8, "priority such as p1, not 'q1'"},
      {"<@m, [{}p]>", 8, "not 'p'"},
      {"<@m, [{}p1x]>", 8, "not 'p1x'"},
      {"<@m, [{}p007]>", 8, "no leading zeros"},
      {"<@m, [{}p99999999999999999999]>", 8, "64 bits"},
      {"<@m, [{\"x\":(1)}]>", 14, "size of a sub-axis"},
      {"<@m, [{\"x\":1}]>", 11, "'(' and the pre-size"},
      {"<@m, [{\"\\z\"}]>", 7, "unknown escape"},
      {"<@m, [], replicated={}>", 21, "name in double quotes"},
      {"<@m, [], replicated={\"x\"}, replicated={\"y\"}>", 27, "each at most once"},
      {"<@m, [], unreduced=prod{\"x\"}>", 19, "unknown reduction 'prod'"},
      {"<@m, []> x", 9, "unexpected text"},
      {"<mesh<[\"x\"=0]>, []>", 5, "at least 1"},
      {"#sdy<sharding<@m, []>", 21, "at the end of the attribute"},
  };
  for (const auto& c : cases) {
    const auto parsed = ParseShardingText(c.in);
    ASSERT_FALSE(parsed.ok()) << c.in;
    EXPECT_EQ(text::ErrorOffset(parsed.status()), c.offset) << c.in << ": " << parsed.status();
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(c.message)) << c.in;
  }
}

TEST(SdyTextTest, ReadsMeshes) {
  EXPECT_EQ(PrintMesh(*ParseMesh("#sdy.mesh<[\"x\"=2,\"y\"=2],device_ids=[0,1,2,3]>")),
            "<[\"x\"=2, \"y\"=2]>");
  EXPECT_EQ(PrintMesh(*ParseMesh("<[], device_ids=[4]>")), "<[], device_ids=[4]>");
  EXPECT_FALSE(ParseMesh("<[\"x\"=2], device_ids=[]>").ok());
  EXPECT_FALSE(ParseMesh("<[\"x\"=2], devices=[1,0]>").ok());
  EXPECT_FALSE(ParseMesh("<[\"x\"=2>").ok());
  EXPECT_FALSE(ParseMesh("<[\"x\"=99999999999999999999]>").ok());
}

TEST(SdyTextTest, ReadsLists) {
  EXPECT_EQ(ParseShardingPerValueText("#sdy.sharding_per_value<[<@m, []>, <@m, [{}]>]>")->size(),
            2u);
  EXPECT_EQ(ParseShardingPerValueText("#sdy.sharding_per_value<[#sdy.sharding<@m, []>, "
                                      "#sdy<sharding<@m, [{}]>>]>")
                ->size(),
            2);
  EXPECT_TRUE(ParseShardingPerValueText("#sdy.sharding_per_value<[]>")->empty());
  EXPECT_FALSE(ParseShardingPerValueText("#sdy.sharding_per_value<[<@m, []>,]>").ok());
  EXPECT_THAT(*ParseManualAxes("#sdy<manual_axes{\"x\", \"y z\"}>"), ElementsAre("x", "y z"));
  EXPECT_FALSE(ParseManualAxes("#sdy.manual_axes{\"x\"}").ok());
}

TEST(SdyTextTest, PrintsWithoutAMesh) {
  EXPECT_EQ(PrintSharding(TensorSharding::FullyOpen(kNoMesh, 2), MeshTable()), "<@?, [{?}, {?}]>");
}

}  // namespace
}  // namespace tessera::sharding
