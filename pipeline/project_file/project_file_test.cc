#include "tessera/pipeline/project_file/project_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ProjectFile> Parse(const char* text) {
  return ParseProjectFile(text::Source::FromString("tessera.toml", text));
}

std::string ErrorOf(const char* text) { return std::string(Parse(text).status().message()); }

TEST(ProjectFile, HasFlagsMeshesAndTablesOfVerbs) {
  const auto file = Parse(R"toml(
mesh = "pod"
memory-limit = 17179869184
annotate = ["^w$=P('data')", "^b$=P()"]

[meshes]
pod = { model = 4, data = 16 }
laptop = "data=2"

[lint]
strict = true
max-padding = 1.5
)toml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->flags.at("mesh").values[0].text, "pod");
  EXPECT_EQ(file->flags.at("memory-limit").values[0].text, "17179869184");
  ASSERT_EQ(file->flags.at("annotate").values.size(), 2u);
  EXPECT_EQ(file->flags.at("annotate").values[1].text, "^b$=P()");
  EXPECT_EQ(file->meshes.at("pod").text, "model=4,data=16");
  EXPECT_EQ(file->meshes.at("laptop").text, "data=2");
  EXPECT_TRUE(file->verbs.at("lint").at("strict").is_switch);
  EXPECT_EQ(file->verbs.at("lint").at("max-padding").values[0].text, "1.5");
}

TEST(ProjectFile, AMistakeHasItsPlace) {
  EXPECT_THAT(ErrorOf("mesh = \"data=4\"\ntarget = tpu\n"), HasSubstr("tessera.toml:2:1"));
  EXPECT_THAT(ErrorOf("mesh = 2020-01-01\n"),
              HasSubstr("tessera.toml:1:8: error: expected a string or a number, as the value of a "
                        "flag\n  mesh = 2020-01-01\n         ^"));
  EXPECT_THAT(ErrorOf("[meshes]\n\"ä\" = { data = \"4\" }\n"),
              HasSubstr("error: expected a number, the size of the axis"));
  EXPECT_THAT(ErrorOf("meshes = 3\n"), HasSubstr("expected a table: [meshes]"));
  EXPECT_THAT(ErrorOf("a = 1\na = 2\n"), HasSubstr("tessera.toml:2:"));
  EXPECT_THAT(ErrorOf("a = [[[[[[\n"), HasSubstr("no TOML: "));
}

}  // namespace
}  // namespace tessera::pipeline
