#include "tessera/sharding/sdy_resolve.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {
namespace {

using ::testing::HasSubstr;

MeshTable Meshes() {
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 12}, {"y", 2}}));
  (void)*meshes.Add("one", Mesh::Maximal(3));
  (void)*meshes.Add("none", Mesh());
  return meshes;
}

const std::vector<int64_t> kMatrix = {24, -1};

struct Case {
  const char* in;
  size_t offset;
  const char* message;  // null: fine
};

constexpr Case kCases[] = {
    {"<@m, [{\"x\", \"y\"}, {?}p1]>", 0, nullptr},
    {"<@m, [{\"x\":(2)2, \"x\":(1)2}, {\"x\":(4)3}], replicated={\"y\"}>", 0, nullptr},
    {"<@none, [{}, {?}]>", 0, nullptr},
    {"<@one, []>", 0, nullptr},
    {"<mesh<[\"q\"=5]>, [{\"q\"}, {}]>", 0, nullptr},
    {"<@k, [{}, {}]>", 0, "unknown mesh @k"},
    {"<@one, [{}, {}]>", 0, "single device must be empty"},
    {"<@m, [{}]>", 0, "has 1 dimensions, the value has 2"},
    {"<@m, [{}, {}p2]>", 10, "dimension 1 has a priority"},
    {"<@m, [{}, {\"w\"}]>", 11, "no axis \"w\"; it has \"x\", \"y\""},
    {"<@none, [{}, {\"x\"}]>", 14, "it has no axes"},
    {"<@m, [{\"y\"}, {\"y\"}]>", 14, "\"y\" is used twice"},
    {"<@m, [{\"x\":(1)2, \"x\":(2)3}, {}]>", 17, "are consecutive"},
    {"<@m, [{}, {}], replicated={\"y\", \"x\"}>", 32, "in the order of the mesh"},
    {"<@m, [{}, {}], unreduced={\"x\", \"x\":(1)2}>", 31, "in the order of the mesh"},
    {"<@m, [{\"x\"}, {}], unreduced={\"x\"}>", 29, "used twice"},
    {"<@m, [{\"x\":(1)3}, {\"x\"}]>", 19, "as a whole and in parts"},
    {"<@m, [{\"x\":(0)2}, {}]>", 7, "pre-size must be at least 1"},
    {"<@m, [{\"x\":(2)1}, {}]>", 7, "size must be at least 2"},
    {"<@m, [{\"x\":(2)-2}, {}]>", 7, "size must be at least 2"},
    {"<@m, [{\"x\":(2)5}, {}]>", 7, "does not divide"},
    {"<@m, [{\"x\":(9223372036854775807)4}, {}]>", 7, "does not divide"},
    {"<@m, [{\"x\":(1)12}, {}]>", 7, "this is the whole axis"},
    {"<@m, [{\"x\":(1)4}, {\"x\":(2)6}]>", 19, "overlap"},
};

TEST(SdyResolveTest, FindsTheFirstFault) {
  for (const Case& c : kCases) {
    MeshTable meshes = Meshes();
    const ValueType type{ValueType::Kind::kArray, kMatrix, 0};
    const auto resolved = ResolveSharding(*ParseShardingText(c.in), meshes, &type);
    if (c.message == nullptr) {
      ASSERT_TRUE(resolved.ok()) << resolved.status();
      EXPECT_EQ(PrintSharding(*resolved, meshes), c.in);
      EXPECT_TRUE(VerifySharding(*resolved, meshes, &type).ok());
      continue;
    }
    ASSERT_FALSE(resolved.ok()) << c.in;
    EXPECT_EQ(text::ErrorOffset(resolved.status()), c.offset) << c.in << resolved.status();
    EXPECT_THAT(std::string(resolved.status().message()), HasSubstr(c.message)) << c.in;
  }
}

TEST(SdyResolveTest, ShowsThePlace) {
  MeshTable meshes = Meshes();
  const std::string text = "<@m, [{\"y\"}, {\"z\"}]>";
  const auto source = text::Source::FromString("arg0", text);
  EXPECT_EQ(text::Located(ParseSharding(text, meshes).status(), *source).message(),
            "arg0:1:15: error: the mesh has no axis \"z\"; it has \"x\", \"y\"\n"
            "  <@m, [{\"y\"}, {\"z\"}]>\n"
            "                ^\n");
}

TEST(SdyResolveTest, KnowsTokensAndTuples) {
  MeshTable meshes = Meshes();
  const ShardingText empty = *ParseShardingText("<@m, []>");
  const ShardingText matrix = *ParseShardingText("<@m, [{}, {}]>");
  const ValueType token{ValueType::Kind::kToken, {}, 0};
  const ValueType pair{ValueType::Kind::kTuple, {}, 2};
  EXPECT_TRUE(ResolveSharding(empty, meshes, &token).ok());
  EXPECT_FALSE(ResolveSharding(matrix, meshes, &token).ok());
  EXPECT_FALSE(ResolveSharding(empty, meshes, &pair).ok());
  EXPECT_TRUE(ResolveSharding(matrix, meshes).ok());
}

}  // namespace
}  // namespace tessera::sharding
