#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/schema/layout_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

VerbResult Ask(const std::string& shape, const std::map<std::string, std::string>& flags = {}) {
  Arguments arguments;
  arguments.AddPositional(shape);
  for (const auto& [name, value] : flags) arguments.Set(name, {value}, true);
  return LayoutVerb().run(arguments);
}

TEST(LayoutVerbTest, SizesByDefault) {
  EXPECT_EQ(Ask("f32[6,4]{1,0:T(4,2)(8,1)L(48)M(8)}").out, R"(f32[6,4]{1,0:T(4,2)(8,1)L(48)M(8)}
  elements    24 of 32 bits, 96 slots
  data        96 B
  padded      384 B, 4x, waste 75.0 %
  allocated   392 B
  XLA counts  192 B
  T(4,2)      [6,4] pad [8,4] -> [2,2,4,2], adds 8 elements
  T(8,1)      [2,2,4,2] pad [2,2,8,2] -> [2,2,1,2,8,1], adds 32 elements
  tail        adds 32 elements
)");
}

struct Asked {
  const char* shape;
  const char* flag;
  const char* value;
  const char* out;
};

constexpr Asked kAsked[] = {
    {"f32[3,5]{1,0:T(2,2)}", "index", "2,3", "index (2,3) is at offset 17, byte 68\n"},
    {"s4[3,5]{1,0:E(4)}", "index", "0,1", "index (0,1) is at offset 1, byte 0 bit 4\n"},
    {"f32[]", "index", "", "index () is at offset 0, byte 0\n"},
    {"f32[3,5]{1,0:T(2,2)}", "offset", "17", "offset 17 holds index (2,3)\n"},
    {"f32[3,5]{1,0:T(2,2)}", "offset", "9", "offset 9 holds padding\n"},
    {"f32[2,3]{0,1}", "ops", "",
     "to memory:\n  transpose   -> [3,2] perm=[1,0]\n  reshape     -> [6]\n"
     "back:\n  reshape     -> [3,2]\n  transpose   -> [2,3] perm=[1,0]\n"},
    {"u8[2]{0:T(3)}", "memory", "", "0 1 .\n"},
};

TEST(LayoutVerbTest, Questions) {
  for (const Asked& row : kAsked) {
    const VerbResult result = Ask(row.shape, {{row.flag, row.value}});
    EXPECT_EQ(result.exit, Exit::kDone) << result.notes;
    EXPECT_EQ(result.out, row.out);
  }
}

TEST(LayoutVerbTest, Advice) {
  const VerbResult result = Ask("f32[256,512,128,2]{3,2,1,0:T(8,128)}", {{"advise", "tpu"}});
  EXPECT_THAT(result.out,
              HasSubstr("given       f32[256,512,128,2]{3,2,1,0:T(8,128)}  8 GiB, 64x"));
  EXPECT_THAT(result.out,
              HasSubstr("best        f32[256,512,128,2]{2,1,3,0:T(8,128)}  128 MiB, 1x"));
  EXPECT_THAT(result.out, HasSubstr("- dimension 3 (minor) of size 2 is padded to 128: 64x"));
}

TEST(LayoutVerbTest, AdviceUnderRulesOfOnesOwn) {
  const std::string path = ::testing::TempDir() + "/rules.textproto";
  std::ofstream(path) << "name: \"mine\" rule { tiles: \"T(4,4)\" }";
  EXPECT_THAT(Ask("f32[5,8]", {{"advise", path}}).out, HasSubstr("under the rules \"mine\":\n"));
  std::ofstream(path) << "rule { tiles: 4 }";
  EXPECT_THAT(Ask("f32[5,8]", {{"advise", path}}).notes,
              HasSubstr("rules.textproto:1:15: error: "));
}

TEST(LayoutVerbTest, SvgGoesToItsFile) {
  const std::string path = ::testing::TempDir() + "/layout.svg";
  const VerbResult result = Ask("f32[3,5]{1,0:T(2,2)}", {{"svg", path}});
  EXPECT_EQ(result.out, "");
  std::ifstream file(path);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(file), {}), StartsWith("<svg "));
}

// The output of --json is a LayoutAnswer.
TEST(LayoutVerbTest, JsonFollowsItsSchema) {
  for (const char* shape : {"f32[3,5]{1,0:T(2,2)}", "f32[2,3]{1,0:T(*,4)}", "f32[0]"}) {
    const VerbResult result = Ask(
        shape,
        {{"json", ""}, {"ops", ""}, {"hlo", ""}, {"draw", ""}, {"memory", ""}, {"advise", "tpu"}});
    answers::LayoutAnswer answer;
    const auto status = google::protobuf::util::JsonStringToMessage(result.out, &answer);
    EXPECT_TRUE(status.ok()) << status.ToString() << result.out << result.notes;
    EXPECT_EQ(answer.inverse_size(), answer.ops_size());
    EXPECT_GE(answer.lines_size(), 3);
  }
}

TEST(LayoutVerbTest, JsonOfQueriesAndTuples) {
  EXPECT_THAT(Ask("f32[3,5]{1,0:T(2,2)}", {{"json", ""}, {"offset", "9"}}).out,
              EndsWith("\"query\":{\"index\":null,\"offset\":9}}\n"));
  EXPECT_THAT(Ask("f32[3,5]{1,0:T(2,2)}", {{"json", ""}, {"index", "2,3"}}).out,
              EndsWith("\"query\":{\"index\":[2,3],\"offset\":17}}\n"));
  answers::LayoutAnswer answer;
  const VerbResult tuple = Ask("(u8[5]{0:T(4)}, token[])", {{"json", ""}});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(tuple.out, &answer).ok()) << tuple.out;
  EXPECT_EQ(answer.padded_bytes(), 8);
  EXPECT_EQ(answer.leaves_size(), 2);
}

TEST(LayoutVerbTest, OfATargetByTheRuleOfItsCompiler) {
  const auto first_line = [](const VerbResult& result) {
    return result.out.substr(0, result.out.find('\n'));
  };
  EXPECT_EQ(first_line(Ask("bf16[20,300]", {{"target", "tpu-v5e:2x4"}})),
            "bf16[20,300]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(first_line(Ask("f32[1024,8]{1,0}", {{"target", "tpu-v5e:2x4"}})),
            "f32[1024,8]{1,0:T(8,128)}");
  EXPECT_THAT(Ask("f32[8]", {{"target", "h100:8"}}).notes,
              HasSubstr("--target=h100: only TPUs have a rule for one array; elsewhere it lies "
                        "in row-major order"));
}

TEST(LayoutVerbTest, RelayoutPlan) {
  EXPECT_THAT(Ask("f32[16,256]", {{"to", "{1,0:T(8,128)}"}}).out,
              StartsWith("relayout f32[16,256]{1,0} -> f32[16,256]{1,0:T(8,128)}\n"));
  EXPECT_EQ(Ask("f32[16,256]", {{"to", "{1,1}"}}).exit, Exit::kBadInput);
}

TEST(LayoutVerbTest, RelayoutPlanAsJson) {
  answers::LayoutAnswer answer;
  const VerbResult result = Ask("f32[16,256]", {{"to", "f32[16,256]{1,0:T(8,128)}"}, {"json", ""}});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(result.out, &answer).ok()) << result.out;
  EXPECT_EQ(answer.relayout().to(), "f32[16,256]{1,0:T(8,128)}");
  EXPECT_EQ(answer.relayout().data_bytes(), 16384);
  ASSERT_EQ(answer.relayout().pieces_size(), 1);
  EXPECT_EQ(answer.relayout().pieces(0).bytes(), 16384);
  EXPECT_THAT(answer.relayout().pieces(0).work(), HasSubstr("copy rows of 512 bytes"));
}

TEST(LayoutVerbTest, WhatOneDeviceHolds) {
  const std::map<std::string, std::string> flags = {{"sharding", "P('x','y')"},
                                                    {"mesh", "x=2,y=4"}};
  EXPECT_THAT(Ask("f32[6,20]{1,0:T(4,4)}", flags).out,
              StartsWith("of f32[6,20]{1,0:T(4,4)} under P('x','y') each device holds\n"
                         "f32[3,5]{1,0:T(4,4)}\n"));
  const VerbResult hlo =
      Ask("f32[6,20]{1,0:T(4,4)}", {{"sharding", "{devices=[2,4]<=[8]}"}, {"json", ""}});
  answers::LayoutAnswer answer;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(hlo.out, &answer).ok()) << hlo.out;
  EXPECT_EQ(answer.text(), "f32[3,5]{1,0:T(4,4)}");
  EXPECT_EQ(answer.whole(), "f32[6,20]{1,0:T(4,4)}");
  EXPECT_EQ(answer.sharding(), "{devices=[2,4]<=[8]}");
}

TEST(LayoutVerbTest, ShardingsThatDoNotFit) {
  EXPECT_THAT(Ask("f32[6]", {{"sharding", "P('z')"}, {"mesh", "x=2"}}).notes, HasSubstr("z"));
  EXPECT_EQ(Ask("f32[6]", {{"sharding", "{devices=[2,2]<=[4]}"}}).exit, Exit::kBadInput);
  EXPECT_EQ(Ask("f32[6]", {{"sharding", "{devices=[2"}}).exit, Exit::kBadInput);
  EXPECT_EQ(Ask("f32[6]", {{"sharding", "P('x')"}}).exit, Exit::kBadInput);
  EXPECT_EQ(Ask("(f32[6])", {{"sharding", "{replicated}"}}).exit, Exit::kBadInput);
}

struct Wrong {
  const char* shape;
  const char* flag;
  const char* value;
  const char* message;
};

constexpr Wrong kWrong[] = {
    {"f32[3,5", "draw", "", "<shape>:1:8: error: expected \",\" or \"]\" in the dimension list"},
    {"f32[3]{1}", "draw", "", "<shape>:1:1: error: the order {1} of f32[3] names dimension 1"},
    {"f32[3]", "index", "x", "--index: expected numbers"},
    {"f32[3]", "index", "3", "index (3) lies outside the sizes [3]"},
    {"f32[3]", "offset", "1,2", "--offset: expected a number"},
    {"f32[3]", "offset", "3", "offset 3 lies outside the 3 slots"},
    {"f32[3]", "advise", "no_such", "unknown tile rules \"no_such\""},
    {"f32[3]", "advise", "/dev/zero", "unknown tile rules \"/dev/zero\""},
    {"(f32[3])", "ops", "", "(f32[3]{0}) is not an array"},
    {"f32[?]", "draw", "", "f32[?] has an unbounded dimension"},
};

TEST(LayoutVerbTest, Mistakes) {
  for (const Wrong& row : kWrong) {
    const VerbResult result = Ask(row.shape, {{row.flag, row.value}});
    EXPECT_EQ(result.exit, Exit::kBadInput) << row.shape;
    EXPECT_THAT(result.notes, StartsWith(row.message));
  }
  EXPECT_EQ(Ask("f32[3]", {{"index", "1"}, {"offset", "1"}}).exit, Exit::kBadInput);
}

}  // namespace
}  // namespace tessera::pipeline
