#include "tessera/pipeline/input/source_lines.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

// A folder `root` with a program, and a file beside it.
class SourceLinesTest : public ::testing::Test {
 protected:
  SourceLinesTest() {
    fs::remove_all(top_);
    fs::create_directories(top_ + "/root/nets");
    fs::create_directories(top_ + "/root_2");
    Write("root/model.py", "import jax\n\n  h = h @ w \nend");
    Write("root/nets/mlp.py", "mlp\n");
    Write("secret.txt", "secret\n");
    Write("root_2/model.py", "secret\n");
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(absl::StrCat(top_, "/", name)) << text;
  }
  std::string In(const std::string& name) const { return absl::StrCat(top_, "/root/", name); }

  SourceLines Lines() const { return *SourceLines::Below(top_ + "/root"); }

  const std::string top_ = ::testing::TempDir() + "/source_lines";
};

TEST_F(SourceLinesTest, LinesBelowTheFolder) {
  SourceLines lines = Lines();
  EXPECT_EQ(lines.At("model.py:3"), "h = h @ w");
  EXPECT_EQ(lines.At("model.py:4"), "end");
  EXPECT_EQ(lines.At("nets/mlp.py:1"), "mlp");
  EXPECT_EQ(lines.At(In("model.py:1")), "import jax");
  EXPECT_EQ(lines.At(In("nets/../model.py:1")), "import jax");
}

TEST_F(SourceLinesTest, WhatIsNoLineIsEmpty) {
  SourceLines lines = Lines();
  for (const char* const place :
       {"", "model.py", "model.py:", "model.py:0", "model.py:-1", "model.py:5",
        "model.py:99999999999999999999", ":1", "nets:1", "other.py:1", ".:1"}) {
    EXPECT_EQ(lines.At(place), "") << place;
  }
}

TEST_F(SourceLinesTest, NothingLeadsOutOfTheFolder) {
  fs::create_symlink("../secret.txt", In("link.py"));
  fs::create_directory_symlink("..", In("up"));
  SourceLines lines = Lines();
  const std::vector<std::string> names = {"../secret.txt",
                                          "nets/../../secret.txt",
                                          "link.py",
                                          "up/secret.txt",
                                          "../root_2/model.py",
                                          top_ + "/secret.txt",
                                          top_ + "/root_2/model.py",
                                          "/etc/passwd"};
  for (const std::string& name : names) EXPECT_EQ(lines.At(name + ":1"), "") << name;
}

TEST_F(SourceLinesTest, LinksWithinTheFolderAreFollowed) {
  fs::create_symlink("nets/mlp.py", In("link.py"));
  fs::create_directory_symlink(top_ + "/root", top_ + "/project");
  EXPECT_EQ(Lines().At("link.py:1"), "mlp");
  SourceLines linked = *SourceLines::Below(top_ + "/project");
  EXPECT_EQ(linked.At("model.py:1"), "import jax");
  EXPECT_EQ(linked.At(top_ + "/project/model.py:1"), "import jax");
}

// Each of these would be read for ever.
TEST_F(SourceLinesTest, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(mkfifo(In("pipe.py").c_str(), 0600), 0);
  EXPECT_EQ(Lines().At("pipe.py:1"), "");
  SourceLines all = *SourceLines::Below("/");
  EXPECT_EQ(all.At("/dev/zero:1"), "");
  EXPECT_EQ(all.At(In("pipe.py:1")), "");
  EXPECT_EQ(all.At(In("model.py:1")), "import jax");
}

TEST_F(SourceLinesTest, LargeFilesAreLeftOut) {
  Write("root/large.py", "large\n" + std::string(SourceLines::kMaxBytes, '#'));
  Write("root/most.py", "most\n" + std::string(SourceLines::kMaxBytes - 5, '#'));
  SourceLines lines = Lines();
  EXPECT_EQ(lines.At("large.py:1"), "");
  EXPECT_EQ(lines.At("most.py:1"), "most");
}

TEST_F(SourceLinesTest, AFileIsReadOnce) {
  SourceLines lines = Lines();
  EXPECT_EQ(lines.At("model.py:1"), "import jax");
  Write("root/model.py", "other\n");
  EXPECT_EQ(lines.At("model.py:1"), "import jax");
  EXPECT_EQ(lines.At(In("nets/../model.py:1")), "import jax");
}

TEST_F(SourceLinesTest, TheFolderMustBeThere) {
  EXPECT_FALSE(SourceLines::Below(top_ + "/nothing").ok());
  EXPECT_FALSE(SourceLines::Below(In("model.py")).ok());
}

}  // namespace
}  // namespace tessera::pipeline
