// Profiles that JAX wrote on a CPU (testdata/profiles.py).

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/calibrate_answer.pb.h"
#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kFolder[] = "pipeline/verbs/costs/calibrate/testdata/";

std::string File(const std::string& name) { return absl::StrCat(kFolder, name); }

Outcome Ask(const std::vector<std::string>& words) {
  return RunTessera({CalibrateVerb(), CostVerb()}, words);
}

Outcome CalibrateTo(const std::string& name, std::vector<std::string> more) {
  more.insert(more.begin(), {"calibrate", File(name + ".hlo"), File(name + ".trace.json.gz"),
                             absl::StrCat("--target=", File("start.textproto"))});
  return Ask(more);
}

template <typename T>
T AnswerOf(const Outcome& run) {
  EXPECT_EQ(run.exit, 0) << run.err;
  T answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out;
  return answer;
}

answers::CostAgainst AgainstOf(const std::string& name, const std::string& machine) {
  const auto answer = AnswerOf<answers::CostAnswer>(
      Ask({"cost", File(name + ".hlo"), absl::StrCat("--target=", machine),
           absl::StrCat("--against=", File(name + ".trace.json.gz")), "--json"}));
  return answer.against();
}

TEST(CalibrateVerbTest, AProfileOfACpu) {
  const auto answer = AnswerOf<answers::CalibrateAnswer>(CalibrateTo("mlp", {"--json"}));
  EXPECT_EQ(answer.samples(), 8);
  EXPECT_GT(answer.factor_before(), 20);
  EXPECT_LT(answer.factor(), 2);
  ASSERT_EQ(answer.numbers_size(), 6);
  EXPECT_EQ(answer.numbers(3).name(), "device.peak f32.flops_per_s");
  EXPECT_TRUE(answer.numbers(3).seen());
  EXPECT_LT(answer.numbers(3).after(), 1e12);  // far less than the start says
  EXPECT_FALSE(answer.numbers(4).seen());      // one device: no links
  EXPECT_EQ(answer.numbers(4).before(), answer.numbers(4).after());
}

TEST(CalibrateVerbTest, LoopsAndCollectives) {
  const auto answer = AnswerOf<answers::CalibrateAnswer>(CalibrateTo("layers", {"--json"}));
  EXPECT_GT(answer.samples(), 20);
  EXPECT_LT(answer.factor(), 3);
  EXPECT_EQ(answer.numbers(4).name(), "level memory.device_bytes_per_s");
  EXPECT_TRUE(answer.numbers(4).seen());
}

// Its output is a machine again, and a better one.
TEST(CalibrateVerbTest, TheFileIsAMachine) {
  for (const char* name : {"mlp", "layers"}) {
    const Outcome run = CalibrateTo(name, {});
    EXPECT_THAT(run.out, StartsWith("# fitted by tessera calibrate to "));
    const std::string fitted = TestFile("fitted.textproto", run.out);
    const auto before = AgainstOf(name, File("start.textproto"));
    const auto after = AgainstOf(name, fitted);
    EXPECT_GT(before.factor(), after.factor());
    EXPECT_LT(after.factor(), 4);
    EXPECT_DOUBLE_EQ(before.measured_s(), after.measured_s());
  }
}

TEST(CalibrateVerbTest, MeasuredByLine) {
  const auto against = AgainstOf("layers", File("start.textproto"));
  EXPECT_EQ(against.runs(), 10);  // five on each of two devices
  EXPECT_THAT(against.by_line(0).name(), StartsWith("profiles.py:"));
  double lines = 0, each = 0;
  for (const auto& line : against.by_line()) lines += line.measured_s();
  for (const auto& one : against.each()) each += one.measured_s();
  EXPECT_NEAR(lines, against.measured_s(), 1e-9);
  EXPECT_NEAR(each, against.measured_s(), 1e-9);
  const Outcome text =
      Ask({"cost", File("layers.hlo"), absl::StrCat("--target=", File("start.textproto")),
           absl::StrCat("--against=", File("layers.trace.json.gz"))});
  EXPECT_THAT(text.out, HasSubstr("\nthe profile has 10 runs: "));
  EXPECT_THAT(text.out, HasSubstr("\nby line\n   predicted   measured  factor\n"));
}

TEST(CalibrateVerbTest, WhatIsMissingIsSaid) {
  const std::string mlp = File("mlp.hlo"), trace = File("mlp.trace.json.gz");
  const std::string start = absl::StrCat("--target=", File("start.textproto"));
  EXPECT_THAT(Ask({"calibrate", mlp, trace}).err, HasSubstr("calibrate starts from a machine"));
  EXPECT_THAT(Ask({"calibrate", File("layers.hlo"), trace, start}).err,
              HasSubstr("no events of the module jit_layers; there are some of jit_mlp"));
  EXPECT_THAT(Ask({"calibrate", mlp, mlp, start}).err, HasSubstr("no trace events in JSON"));
  EXPECT_THAT(Ask({"calibrate", mlp, "/no/such/file", start}).err, HasSubstr("/no/such/file"));
  const std::string lowered =
      TestFile("m.hlo", "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }\n");
  EXPECT_THAT(Ask({"calibrate", lowered, trace, start}).err, HasSubstr("compiled.as_text()"));
  EXPECT_THAT(Ask({"cost", lowered, start, absl::StrCat("--against=", trace)}).err,
              HasSubstr("--against: a profile has the instructions of the module that ran"));
  const std::string empty = TestFile("empty.textproto", "name: 'x' level { devices: 2 }\n");
  EXPECT_THAT(Ask({"cost", mlp, absl::StrCat("--target=", empty)}).err,
              HasSubstr("needs hbm_bytes_per_s and a peak"));
}

}  // namespace
}  // namespace tessera::pipeline
