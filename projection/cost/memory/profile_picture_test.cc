#include "tessera/projection/cost/memory/profile_picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::projection {
namespace {

using ::testing::HasSubstr;

TEST(ProfilePictureTest, ProfileMarksThePeak) {
  Program program;
  program.parameters = {{"p", 100}};
  program.order = {{"a", 100, {0}, BufferKind::kNew, 0}, {"b", 50, {1}, BufferKind::kNew, 0}};
  program.outputs = {2};
  const MemoryProfile profile = *ProfileOf(program, {});
  const std::vector<std::string> names = {"a", "b"};
  const std::string text = DrawProfile(profile, names);
  EXPECT_THAT(text, HasSubstr("250 ##################################################! b\n"));
  EXPECT_THAT(text, HasSubstr("200 ######################################## a\n"));
  EXPECT_THAT(SvgOfProfile(profile, names), HasSubstr("<title>b: p, 100 bytes</title>"));
  const std::vector<int64_t> padding = {25, 0, 0};
  EXPECT_THAT(SvgOfProfile(profile, names, padding),
              HasSubstr("<title>p: 25 bytes of padding</title>"));
}

}  // namespace
}  // namespace tessera::projection
