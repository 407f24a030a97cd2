#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/suggest_answer.pb.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

// A batch through two layers; on its own everything is on every device.
constexpr char kModule[] =
    "HloModule mlp, num_partitions=8\n"
    "ENTRY main {\n"
    "  x = bf16[65536,1024] parameter(0), metadata={op_name=\"batch\"}\n"
    "  w1 = bf16[1024,4096] parameter(1), metadata={op_name=\"params['up']\"}\n"
    "  w2 = bf16[4096,1024] parameter(2), metadata={op_name=\"params['down']\"}\n"
    "  h = bf16[65536,4096] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  t = bf16[65536,4096] tanh(h)\n"
    "  ROOT y = bf16[65536,1024] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

Outcome Suggest(std::vector<std::string> words) {
  words.insert(words.begin(), {"suggest", TestFile("m.hlo", kModule)});
  return RunTessera({SuggestVerb()}, words);
}

answers::SuggestAnswer Answer(std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome run = Suggest(words);
  EXPECT_EQ(run.exit, 0) << run.err;
  answers::SuggestAnswer answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out;
  return answer;
}

TEST(SuggestVerbTest, ABatchIsCutOverAllDevices) {
  const Outcome run = Suggest({"--mesh=data=4,model=2", "--topology=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("--annotate=\"^batch$=P(('data', 'model'),)\"\n"));
  EXPECT_THAT(run.out, HasSubstr("1 argument of 128 MiB; without it "));
}

TEST(SuggestVerbTest, NeverWorseThanTheModuleAndTheSameEveryTime) {
  const std::vector<std::string> words = {"--mesh=data=4,model=2", "--topology=tpu-v5e:2x4"};
  const answers::SuggestAnswer answer = Answer(words);
  EXPECT_LT(answer.found().seconds(), answer.own().seconds());
  EXPECT_EQ(answer.SerializeAsString(), Answer(words).SerializeAsString());
  const answers::SuggestAnswer given =
      Answer({"--mesh=data=8", "--topology=tpu-v5e:2x4", "--annotate=^batch$=P('data')"});
  EXPECT_LE(given.found().seconds(), given.own().seconds());
}

TEST(SuggestVerbTest, ALimitIsKept) {
  const auto answer =
      Answer({"--mesh=data=8", "--topology=tpu-v5e:2x4", "--limit=180MB", "--tries=100"});
  EXPECT_LE(answer.found().memory(), 180000000);
  EXPECT_GT(answer.own().memory(), 180000000);
  for (int k = 1; k < answer.front_size(); ++k) {
    EXPECT_LT(answer.front(k).cost().memory(), answer.front(k - 1).cost().memory());
    EXPECT_GE(answer.front(k).cost().seconds(), answer.front(k - 1).cost().seconds());
  }
}

TEST(SuggestVerbTest, MeshesOfANumberOfDevices) {
  EXPECT_THAT(Answer({"--devices=8", "--topology=tpu-v5e:2x4", "--tries=40"}).mesh(),
              HasSubstr("data="));
}

TEST(SuggestVerbTest, Mistakes) {
  EXPECT_THAT(Suggest({"--mesh=data=8"}).err, HasSubstr("--topology=tpu-v5e:4x4"));
  EXPECT_THAT(Suggest({"--topology=tpu-v5e:2x4"}).err, HasSubstr("names no mesh"));
  EXPECT_THAT(Suggest({"--topology=tpu-v5e:2x4", "--mesh=data=4"}).err,
              HasSubstr("the axes have 8 devices, the program has 4"));
  EXPECT_THAT(Suggest({"--topology=tpu-v5e:2x4", "--devices=none"}).err,
              HasSubstr("--devices=none: expected a number"));
  EXPECT_THAT(Suggest({"--topology=tpu-v5e:2x4", "--mesh=data=8", "--limit=16"}).err,
              HasSubstr("expected a unit"));
}

}  // namespace
}  // namespace tessera::pipeline
