// `tessera confirm` where there is no compiler to ask.

#include <sys/stat.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

constexpr char kStep[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY main {\n"
    "  x = f32[16,64] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  ROOT y = f32[16,64] negate(x), sharding={replicated}\n"
    "}\n";

Outcome Confirm(const std::string& module, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"confirm", TestFile("step.hlo", module), "--no-cache"};
  words.insert(words.end(), more.begin(), more.end());
  return RunTessera({ConfirmVerb()}, words);
}

TEST(ConfirmVerbTest, NoTarget) {
  const Outcome run = Confirm(kStep, {});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("confirm needs --target=CHIP:TOPOLOGY"));
}

TEST(ConfirmVerbTest, NoPython) {
  const Outcome run = Confirm(kStep, {"--target=tpu-v5e:2x4", "--python=/no/such/python"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("--python=/no/such/python: No such file or directory; it is asked "
                                 "for the compiler of --target=tpu-v5e:2x4"));
}

TEST(ConfirmVerbTest, NotAPython) {
  const Outcome run = Confirm(kStep, {"--target=h100:8", "--python=false"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("--python=false does not run"));
}

TEST(ConfirmVerbTest, CompiledAlready) {
  const std::string compiled =
      "HloModule m, is_scheduled=true\nENTRY e {\n  ROOT x = f32[] "
      "parameter(0)\n}\n";
  const Outcome run = Confirm(compiled, {"--target=h100:8"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("the module is final (is_scheduled=true): the compiler is asked"));
}

// A Python that answers as compile.py does where jaxlib leaves Shardy. That imports what stands beside it.
constexpr char kFallsBack[] =
    "#!/bin/sh\n"
    "if [ \"$2\" = versions ]; then [ -f \"${1%/*}/shardy_form.py\" ] && echo jax 0; exit; fi\n"
    "echo 'W py_client.cc: Disabling Shardy and falling back to using GSPMD propagation.' >&2\n"
    "echo 'temp_size 1' > \"$9/memory.txt\"\n"
    "cat > \"$9/compiled.hlo\" << END\n"
    "HloModule m, is_scheduled=true, num_partitions=8\n"
    "ENTRY e {\n"
    "  ROOT x = f32[16,8] parameter(0)\n"
    "}\n"
    "END\n";

TEST(ConfirmVerbTest, AFallBackToGspmdIsNamed) {
  const std::string python = TestFile("falls_back.sh", kFallsBack);
  ASSERT_EQ(chmod(python.c_str(), S_IRWXU), 0);
  const Outcome run = Confirm(kStep, {"--target=cpu", "--python=" + python});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.err, HasSubstr("note: jaxlib propagated shardings by GSPMD"));
}

// That is no refusal of the compiler.
TEST(ConfirmVerbTest, AProgramThatIsNotHandedOver) {
  const std::string python =
      TestFile("not_handed_over.sh",
               "#!/bin/sh\n[ \"$2\" = versions ] && { echo jax 0; exit; }\n"
               "echo 'Failed to serialize StableHLO to plugin version 1'\nexit 4\n");
  ASSERT_EQ(chmod(python.c_str(), S_IRWXU), 0);
  const Outcome run = Confirm(kStep, {"--target=cpu", "--python=" + python, "--no-cache"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot hand the program over to this compiler as StableHLO"));
  EXPECT_THAT(run.err, HasSubstr("to plugin version 1"));
}

}  // namespace
}  // namespace tessera::pipeline
