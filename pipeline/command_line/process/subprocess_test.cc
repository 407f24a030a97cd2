#include "tessera/pipeline/command_line/process/subprocess.h"

#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

TEST(SubprocessTest, OutputAndExitStatus) {
  const auto run = RunProcess({"sh", "-c", "echo out; echo err >&2; exit 3"}, 60, "");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->exit, 3);
  EXPECT_EQ(run->out, "out\n");
  EXPECT_EQ(run->err, "err\n");
  EXPECT_FALSE(run->timed_out);
}

TEST(SubprocessTest, WordsAreNotReadByAShell) {
  const auto run = RunProcess({"printf", "%s", "a b; $HOME"}, 60, "");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->out, "a b; $HOME");
}

TEST(SubprocessTest, MoreThanAPipeHolds) {
  const auto run = RunProcess({"sh", "-c", "head -c 1000000 /dev/zero"}, 60, "");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->out.size(), 1000000);
}

TEST(SubprocessTest, EndsAtTheLimit) {
  const auto run = RunProcess({"sleep", "600"}, 0, "");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->timed_out);
  EXPECT_EQ(run->exit, 128 + 9);
}

TEST(SubprocessTest, NoSuchProgram) {
  EXPECT_TRUE(absl::IsNotFound(RunProcess({"/no/such/program"}, 60, "").status()));
}

}  // namespace
}  // namespace tessera::pipeline
