#include "tessera/pipeline/verbs/module/shardings_verb.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/command_line.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

// Six elements do not divide by four: what crosses the border of the module is replicated.
constexpr char kModule[] = R"(HloModule m, num_partitions=4

ENTRY e {
  p = f32[8] parameter(0)
  s = f32[6] slice(p), slice={[0:6]}
  ROOT t = (f32[6], f32[8]) tuple(s, p)
}
)";

std::string Shardings(std::vector<std::string> flags) {
  const std::string path = ::testing::TempDir() + "/shardings_verb_test.hlo";
  std::ofstream(path) << kModule;
  flags.insert(flags.begin(), {"shardings", path, "--mesh=x=4", "--annotate=^p$=P('x')"});
  std::ostringstream out, err;
  EXPECT_EQ(RunCommandLine({ShardingsVerb()}, flags, out, err), 0) << err.str();
  return out.str();
}

TEST(ShardingsVerb, ResultsAreThoseOfTheCompiledProgram) {
  EXPECT_EQ(Shardings({}),
            "p: f32[8] P('x',)\n"
            "s: f32[6] P('x',)\n"
            "result{0}: f32[6] P(None,)\n"
            "result{1}: f32[8] P('x',)\n");
}

TEST(ShardingsVerb, PropagatedIsTheStateBeforeTheBorder) {
  EXPECT_EQ(Shardings({"--propagated"}),
            "p: f32[8] P('x',)\n"
            "s: f32[6] P('x'?,)\n");
}

TEST(ShardingsVerb, FiltersSeeResultsToo) {
  EXPECT_EQ(Shardings({"--match=^result", "--axis=x"}), "result{1}: f32[8] P('x',)\n");
}

TEST(ShardingsVerb, AnOpNameThatSaysMoreIsShown) {
  const std::string path = ::testing::TempDir() + "/shardings_op_names.hlo";
  std::ofstream(path) << R"(HloModule m, num_partitions=4

ENTRY e {
  Arg_0.1 = f32[8] parameter(0), metadata={op_name="params['w']"}
  ROOT tanh.2 = f32[8] tanh(Arg_0.1), metadata={op_name="tanh"}
}
)";
  std::ostringstream out, err;
  EXPECT_EQ(RunCommandLine({ShardingsVerb()}, {"shardings", path, "--mesh=x=4"}, out, err), 0);
  EXPECT_EQ(out.str(),
            "Arg_0.1: f32[8] none, params['w']\n"
            "tanh.2: f32[8] none\n"
            "result: f32[8] none\n");
}

TEST(ShardingsVerb, APatternWithoutAMatchIsSaid) {
  const std::string path = ::testing::TempDir() + "/shardings_no_match.hlo";
  std::ofstream(path) << kModule;
  std::ostringstream out, err;
  EXPECT_EQ(RunCommandLine({ShardingsVerb()},
                           {"shardings", path, "--mesh=x=4", "--match=params", "--min-bytes=8"},
                           out, err),
            0);
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(err.str(),
              HasSubstr("note: none of 2 tensors passes --match=params --min-bytes=8\n"));
}

}  // namespace
}  // namespace tessera::pipeline
