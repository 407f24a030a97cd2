// What each verb prints with --json has the form of its .proto: no member that the schema does not
// know, none of another type.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line.h"
#include "tessera/pipeline/verbs.h"
#include "tessera/pipeline/verbs/convert_answer.pb.h"
#include "tessera/pipeline/verbs/project_answer.pb.h"
#include "tessera/pipeline/verbs/rules_answer.pb.h"
#include "tessera/pipeline/verbs/shardings_answer.pb.h"
#include "tessera/pipeline/verbs/stats_answer.pb.h"

namespace tessera::pipeline {
namespace {

constexpr char kModule[] =
    "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"x\\\"=2]>}\"}, "
    "num_partitions=2\n"
    "ENTRY e {\n"
    "  a = f32[4,6] parameter(0), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}, "
    "metadata={op_name=\"args[0]\" source_file=\"m.py\" source_line=3}\n"
    "  b = f32[6,8] parameter(1)\n"
    "  d = f32[4,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  ROOT f = f32[4,8] custom-call(d), custom_call_target=\"own\"\n"
    "}\n";

template <typename Answer>
Answer AnswerTo(std::vector<std::string> words) {
  std::ostringstream out;
  std::ostringstream err;
  words.push_back("--json");
  EXPECT_EQ(RunCommandLine(AllVerbs(), words, out, err), 0) << err.str();
  Answer answer;
  const auto status = google::protobuf::util::JsonStringToMessage(out.str(), &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << out.str();
  return answer;
}

std::string ModuleFile() {
  const std::string path = ::testing::TempDir() + "/json_answers_test.hlo";
  std::ofstream(path) << kModule;
  return path;
}

TEST(JsonAnswersTest, Convert) {
  const auto answer =
      AnswerTo<answers::ConvertAnswer>({"convert", "{devices=[2]<=[2]}", "--shape=5"});
  EXPECT_EQ(answer.forms_size(), 5);
  EXPECT_EQ(answer.devices(1).end(0), 5);
}

TEST(JsonAnswersTest, Project) {
  const auto answer =
      AnswerTo<answers::ProjectAnswer>({"project", ModuleFile(), "d", "--block=0:2,0:4"});
  EXPECT_EQ(answer.blocks(0).operands(0).cells(), 12);
}

TEST(JsonAnswersTest, ProjectOfADevice) {
  const auto answer =
      AnswerTo<answers::ProjectAnswer>({"project", ModuleFile(), "d", "--device=1"});
  EXPECT_EQ(answer.blocks(0).block().start(0), 2);
}

TEST(JsonAnswersTest, Rules) {
  const auto answer = AnswerTo<answers::RulesAnswer>({"rules", ModuleFile()});
  ASSERT_EQ(answer.instructions_size(), 2);
  EXPECT_TRUE(answer.instructions(0).has_rule());
  EXPECT_TRUE(answer.instructions(1).has_why_none());
}

TEST(JsonAnswersTest, Shardings) {
  const auto answer = AnswerTo<answers::ShardingsAnswer>({"shardings", ModuleFile()});
  ASSERT_GE(answer.tensors_size(), 3);
  EXPECT_EQ(answer.tensors(0).location(), "m.py:3");
}

TEST(JsonAnswersTest, Stats) {
  const auto answer = AnswerTo<answers::StatsAnswer>({"stats", ModuleFile()});
  EXPECT_EQ(answer.instructions(), 4);
  EXPECT_EQ(answer.without_rule(0).count(), 1);
}

}  // namespace
}  // namespace tessera::pipeline
