#include "tessera/sharding/frontend.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;

TEST(FrontendTest, ReadsMeshesInTheOrderOfTheirNames) {
  const auto meshes = ParseMeshesAttribute(
      "{z = #sdy.mesh<[\\\"x\\\"=2]>, \"a b\" = #sdy.mesh<[]>, m=#sdy.mesh<[\"y\"=3]>}");
  ASSERT_TRUE(meshes.ok()) << meshes.status();
  ASSERT_EQ(meshes->size(), 3u);
  EXPECT_EQ(meshes->name(0), "a b");
  EXPECT_EQ(meshes->name(1), "m");
  EXPECT_EQ(PrintMesh(meshes->mesh(2)), "<[\"x\"=2]>");
  EXPECT_EQ(ParseMeshesAttribute("{}")->size(), 0u);
}

TEST(FrontendTest, RefusesOtherMeshes) {
  for (const char* text : {"", "mesh", "{m = 3}", "{m = \"<x=2>\"}", "{m = #sdy.mesh<\"x\"=2>}",
                           "{m = #sdy.mesh<[]>, m = #sdy.mesh<[]>}", "{m = #sdy.mesh<[]>,}",
                           "{m = #sdy.mesh<[]>} x", "{m = #sdy.mesh<[]>\\q}"}) {
    EXPECT_FALSE(ParseMeshesAttribute(text).ok()) << text;
  }
}

TEST(FrontendTest, TellsOtherKindsFromNonsense) {
  const struct {
    const char* in;
    const char* out;  // null: an error; empty: some other attribute
  } cases[] = {
      {"#sdy.sharding<@m, [{\"x\"}]>", "<@m, [{\"x\"}]>"},
      {"#sdy.sharding<@m, [{\\\"x\\\"}]>", "<@m, [{\"x\"}]>"},
      {"#sdy.sharding_per_value<[<@m, [{\"x\"}]>]>", ""},
      {"#sdy.mesh<[]>", ""},
      {"3 : i64", ""},
      {"\"text\"", ""},
      {"{a = 1}", ""},
      {"#sdy.op_sharding_rule<([i])->([i]) {i=2}>", ""},
      {"garbage", nullptr},
      {"#sdy.sharding<@m, [{\"x\"}]", nullptr},
      {"#sdy.sharding<@unknown, []>", nullptr},
      {"", nullptr},
      {"{", nullptr},
      {"#sdy.sharding<@m, \\", nullptr},
  };
  for (const auto& c : cases) {
    MeshTable meshes;
    (void)*meshes.Add("m", *Mesh::Create({{"x", 2}}));
    const auto read = ParseShardingAttribute(c.in, meshes);
    EXPECT_EQ(read.ok(), c.out != nullptr) << c.in << read.status();
    if (!read.ok()) continue;
    EXPECT_EQ(*read ? PrintSharding(**read, meshes) : "", c.out) << c.in;
  }
}

TEST(FrontendTest, ReadsListsAndNumbers) {
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 2}}));
  EXPECT_EQ(
      (*ParsePerValueAttribute("#sdy.sharding_per_value<[<@m, []>, <@m, [{}]>]>", meshes))->size(),
      2u);
  EXPECT_FALSE((*ParsePerValueAttribute("#sdy.sharding<@m, []>", meshes)).has_value());
  EXPECT_THAT(*ParseManualAxesAttribute("#sdy<manual_axes{\\\"x\\\"}>"), ElementsAre("x"));
  EXPECT_EQ(*ParseIntAttribute("21 : i64"), 21);
  EXPECT_EQ(*ParseIntAttribute("-2"), -2);
  EXPECT_FALSE(ParseIntAttribute("two").ok());
  EXPECT_FALSE(ParseIntAttribute("2 : ").ok());
  EXPECT_FALSE(ParseIntAttribute("2 2").ok());
}

}  // namespace
}  // namespace tessera::sharding
