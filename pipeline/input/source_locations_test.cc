#include "tessera/pipeline/input/source_locations.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/input/named_instruction.h"

namespace tessera::pipeline {
namespace {

// a: a library's line, called by the user's. b: a library's alone. c: its own words. d: nothing.
constexpr char kModule[] = R"(HloModule m

FileNames
1 "/opt/venv/lib/python3.11/site-packages/flax/linear.py"
2 "/home/user/model.py"

FunctionNames
1 "__call__"
2 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=287 end_line=287 column=1 end_column=9}
2 {file_name_id=2 function_name_id=2 line=41 end_line=41 column=3 end_column=9}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}
3 {file_location_id=1 parent_frame_id=1}

ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] negate(p), metadata={stack_frame_id=2}
  b = f32[2] negate(a), metadata={stack_frame_id=3}
  c = f32[2] negate(b), metadata={source_file="model.py" source_line=7}
  ROOT d = f32[2] negate(c)
}
)";

TEST(SourceLocationsTest, TheUsersLineAfterThoseOfLibraries) {
  const auto module = hlo::ParseModule(kModule, "m.hlo");
  ASSERT_TRUE(module.ok()) << module.status();
  const SourceLocations locations(*module);
  const auto of = [&](const char* name) { return locations.Of(module->FindInstruction(name)); };
  const auto own = [&](const char* name) {
    return locations.UsersOwn(module->FindInstruction(name));
  };
  constexpr char kLinear[] = "/opt/venv/lib/python3.11/site-packages/flax/linear.py:287";
  EXPECT_EQ(of("a"), kLinear);
  EXPECT_EQ(own("a"), "/home/user/model.py:41");
  EXPECT_EQ(own("b"), kLinear);
  EXPECT_EQ(own("c"), "model.py:7");
  EXPECT_EQ(own("d"), "");
}

// A helper has the line of its own; that of its caller finds what it makes.
TEST(SourceLocationsTest, ALineFindsWhatIsCalledFromThere) {
  const auto module = hlo::ParseModule(
      absl::StrReplaceAll(kModule, {{"/opt/venv/lib/python3.11/site-packages/flax/", "/home/"}}),
      "m.hlo");
  const SourceLocations locations(*module);
  EXPECT_EQ(locations.UsersOwn(module->FindInstruction("a")), "/home/linear.py:287");
  const auto found = FindNamed(*module, "model.py:41");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, module->FindInstruction("a"));
}

TEST(SourceLocationsTest, LinesAreThoseOfEachFrameOnce) {
  const std::string text = absl::StrReplaceAll(
      kModule, {{"\nENTRY",
                 "4 {file_location_id=3 parent_frame_id=3}\n"
                 "5 {file_location_id=2 parent_frame_id=5}\n\nENTRY"},
                {"\nStackFrames",
                 "3 {file_name_id=2 function_name_id=1 line=17 end_line=17 "
                 "column=1 end_column=9}\n\nStackFrames"},
                {"source_file=\"model.py\" source_line=7", "stack_frame_id=5"}});
  const auto module = hlo::ParseModule(text, "m.hlo");
  ASSERT_TRUE(module.ok()) << module.status();
  const SourceLocations locations(*module);
  const auto lines = [&](const char* name) {
    return locations.LinesTo(module->FindInstruction(name));
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines("a"), Lines{"/home/user/model.py:41"});
  EXPECT_EQ(lines("b"), Lines{"/opt/venv/lib/python3.11/site-packages/flax/linear.py:287"});
  // Line 41 called line 17, which called line 41 again.
  EXPECT_EQ(lines("c"), (Lines{"/home/user/model.py:41", "/home/user/model.py:17"}));
  EXPECT_EQ(lines("d"), Lines());
}

TEST(SourceLocationsTest, CallersTellPlacesOfOneHelperApart) {
  const std::vector<std::vector<std::string>> all = {
      {"a.py:1", "a.py:5", "a.py:9"}, {"a.py:1", "a.py:7", "a.py:9"}, {"a.py:3", "a.py:9"}};
  EXPECT_EQ(DistinctPlace(all[0], all), "a.py:1 from a.py:5");
  EXPECT_EQ(DistinctPlace(all[2], all), "a.py:3");
  EXPECT_EQ(DistinctPlace({"a.py:1"}, all), "a.py:1");
  EXPECT_EQ(DistinctPlace({}, all), "");
}

TEST(SourceLocationsTest, TheUserNamesFurtherLibraries) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process of its own: read only once
  setenv("TESSERA_LIBRARIES", "/layers/:/optim/", 1);
  EXPECT_EXIT(
      {
        const std::string text = absl::StrReplaceAll(
            kModule, {{"/opt/venv/lib/python3.11/site-packages/flax/", "/home/layers/"}});
        const auto module = hlo::ParseModule(text, "m.hlo");
        const SourceLocations locations(*module);
        std::cerr << locations.UsersOwn(module->FindInstruction("a"));
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "^/home/user/model.py:41$");
  unsetenv("TESSERA_LIBRARIES");
}

}  // namespace
}  // namespace tessera::pipeline
