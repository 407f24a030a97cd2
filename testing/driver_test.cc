#include "tessera/testing/driver.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;

struct Answer {
  int status;
  std::string out, err;
};

Answer DriveIn(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int status = Drive(arguments, out, err);
  return {status, out.str(), err.str()};
}

// A folder with a file REFERENCE and what is put into it.
class DriverTest : public ::testing::Test {
 protected:
  DriverTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Write("REFERENCE", "0.12.0.1\n");
  }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = absl::StrCat(folder_, "/", name);
    std::ofstream(path) << text;
    return path;
  }

  const std::string folder_ = ::testing::TempDir() + "/driver";
};

constexpr char kCase[] = R"({"a": "f32[2]", "b": "f32[2]{0}", "equal": true})";
constexpr char kWrong[] = R"({"a": "f32[2]", "b": "f32[3]", "equal": true})";

TEST_F(DriverTest, CasesThatPassAndOneThatFails) {
  const std::string file = Write("layout_equal.jsonl", absl::StrCat(kCase, "\n", kCase));
  EXPECT_EQ(DriveIn({file}).out, absl::StrCat(file, ": 2 passed, 0 failed\n2 passed, 0 failed\n"));
  Write("layout_equal.jsonl", absl::StrCat(kCase, "\n", kWrong));
  const Answer answer = DriveIn({file});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("  layout_equal.jsonl:2: equal"));
}

// Each of these counts as failed, whatever passes beside it.
TEST_F(DriverTest, NothingToRunFails) {
  const std::string passes = Write("layout_equal.jsonl", kCase);
  for (const std::string& empty :
       {folder_, Write("layout_parse.jsonl", "\n"), Write("no_family.jsonl", kCase),
        Write("layout_size.jsonl", R"({"newer": "0.13"})")}) {
    const Answer answer = DriveIn({passes, empty});
    EXPECT_EQ(answer.status, 1) << empty;
    EXPECT_THAT(answer.out, HasSubstr("nothing ran")) << empty;
    EXPECT_THAT(answer.out, HasSubstr("1 passed, 1 failed\n")) << empty;
  }
}

TEST_F(DriverTest, BadUsage) {
  EXPECT_EQ(DriveIn({folder_ + "/none"}).status, 2);
  EXPECT_EQ(DriveIn({"--show=many"}).status, 2);
  EXPECT_EQ(DriveIn({}).status, 2);
  EXPECT_EQ(DriveIn({"--show=3"}).status, 2);
}

}  // namespace
}  // namespace tessera::testing
