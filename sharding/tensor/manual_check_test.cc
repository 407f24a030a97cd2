#include "tessera/sharding/manual_check.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* sharding;
  std::vector<int64_t> global, local;
  std::vector<std::string> manual, outer;
  const char* message;  // null: fine
};

TEST(ManualCheckTest, FindsFaults) {
  const Case cases[] = {
      {"<@m, [{\"x\"}, {}]>", {16, 8}, {4, 8}, {"x"}, {}, nullptr},
      {"<@m, [{\"x\", \"y\"}, {}]>", {16, 8}, {4, 8}, {"x"}, {}, nullptr},
      {"<@m, [{\"x\", \"y\"}, {}]>", {16, 8}, {2, 8}, {"x", "y"}, {}, nullptr},
      {"<@m, [{\"x\"}]>", {-1}, {-1}, {"x"}, {}, nullptr},
      {"<@m, [{\"x\"}, {}]>", {16}, {16}, {"x"}, {}, "operand 0: the sharding has 2 dimensions"},
      {"<@m, [{\"y\", \"x\"}]>", {16}, {4}, {"x"}, {}, "manual axis \"x\" stands after"},
      {"<@m, [{\"x\"}]>", {6}, {2}, {"x"}, {}, "size 6 does not divide by the manual axes, 4"},
      {"<@m, [{\"x\"}]>",
       {16},
       {16},
       {"x"},
       {},
       "dimension 0: the body has size 16, expected 4; for a mesh of other sizes lower the "
       "program again"},
      {"<@m, [{\"x\"}]>", {16}, {4, 1}, {"x"}, {}, "another rank"},
      {"<@m, [{}]>", {16}, {16}, {"z"}, {}, "no axis \"z\""},
      {"<@m, [{\"x\"}]>", {16}, {4}, {"x"}, {"x"}, "manual outside already"},
      {"<@other, [{}]>", {16}, {16}, {"x"}, {}, "different meshes"},
  };
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 4}, {"y", 2}}));
  (void)*meshes.Add("other", *Mesh::Create({{"x", 8}}));
  const TensorSharding result = *ParseSharding("<@m, []>", meshes);
  const ValueType scalar;
  for (const Case& c : cases) {
    const TensorSharding operand = *ParseSharding(c.sharding, meshes);
    const ValueType global{ValueType::Kind::kArray, c.global, 0};
    const ValueType local{ValueType::Kind::kArray, c.local, 0};
    const absl::Status status = VerifyManualComputation(
        {{operand}, {global}, {local}}, {{result}, {scalar}, {scalar}}, c.manual, c.outer, meshes);
    EXPECT_EQ(status.ok(), c.message == nullptr) << c.sharding << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message == nullptr ? "" : c.message));
  }
}

TEST(ManualCheckTest, CountsValues) {
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 4}}));
  const TensorSharding s = *ParseSharding("<@m, []>", meshes);
  const ValueType scalar;
  EXPECT_TRUE(VerifyManualComputation({}, {}, {"x"}, {}, meshes).ok());
  EXPECT_FALSE(VerifyManualComputation({{s}, {scalar}, {}}, {}, {"x"}, {}, meshes).ok());
  EXPECT_FALSE(VerifyManualComputation({}, {{}, {scalar}, {scalar}}, {"x"}, {}, meshes).ok());
}

}  // namespace
}  // namespace tessera::sharding
