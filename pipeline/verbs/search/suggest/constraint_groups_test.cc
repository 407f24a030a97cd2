#include "tessera/pipeline/verbs/search/suggest/constraint_groups.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;

// con(x) in line 17 is called in line 57, once more by a transposed step, and in line 73.
constexpr char kTables[] = R"(HloModule m

FileNames
1 "model.py"

FunctionNames
1 "con"
2 "block"
3 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=17 end_line=17 column=1 end_column=9}
2 {file_name_id=1 function_name_id=2 line=57 end_line=57 column=1 end_column=9}
3 {file_name_id=1 function_name_id=3 line=73 end_line=73 column=1 end_column=9}
4 {file_name_id=1 function_name_id=3 line=57 end_line=57 column=1 end_column=9}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}
3 {file_location_id=4 parent_frame_id=2}
4 {file_location_id=1 parent_frame_id=4}
5 {file_location_id=3 parent_frame_id=1}
6 {file_location_id=1 parent_frame_id=6}

)";

struct Call {
  std::string shape, metadata, spec;
};

std::vector<SearchGroup> GroupsOf(const std::vector<Call>& calls) {
  std::string text = absl::StrCat(kTables, "ENTRY e {\n");
  for (size_t k = 0; k < calls.size(); ++k) {
    absl::StrAppend(&text, "  p", k, " = ", calls[k].shape, " parameter(", k, ")\n  c.", k, " = ",
                    calls[k].shape, " custom-call(p", k,
                    "), custom_call_target=\"Sharding\", metadata={", calls[k].metadata, "}\n");
  }
  const auto module = hlo::ParseModule(absl::StrCat(text, "  ROOT r = () tuple()\n}\n"), "test");
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<ConstraintSaid> said;
  for (size_t k = 0; k < calls.size(); ++k) {
    said.push_back({module->FindInstruction(absl::StrCat("c.", k)),
                    *sharding::ParsePartitionSpec(calls[k].spec)});
  }
  return ConstraintGroups(*module, said, 5);
}

std::vector<std::string> TextsOf(const std::vector<SearchGroup>& groups) {
  std::vector<std::string> texts;
  for (const SearchGroup& group : groups) {
    texts.push_back(absl::StrCat(group.pattern, " ", PlaceText(group, groups)));
  }
  return texts;
}

TEST(ConstraintGroupsTest, OneLineMakesAGroup) {
  const auto groups = GroupsOf({{"f32[8,4]", "stack_frame_id=2", "P('x', None)"},
                                {"f32[8,4]", "stack_frame_id=4", "P('x', None)"},
                                {"f32[8,4]", "stack_frame_id=6", "P('x', None)"}});
  EXPECT_THAT(TextsOf(groups), ElementsAre(R"(^(c\.0|c\.1)$ model.py:17 from model.py:57)",
                                           R"(^(c\.2)$ model.py:17 from model.py:73)"));
  EXPECT_EQ(groups[0].count, 2);
  EXPECT_EQ(groups[0].bytes, 2 * 8 * 4 * 4);
  EXPECT_EQ(groups[0].own.ToString(), "P('x', None)");
  EXPECT_TRUE(groups[0].is_constraint);
}

TEST(ConstraintGroupsTest, ALineWithSeveralShapesHasOneSpec) {
  const auto groups = GroupsOf({{"f32[8,12]", "source_file=\"a.py\" source_line=3", "P('x')"},
                                {"f32[4,18]", "source_file=\"a.py\" source_line=3", "P('x')"}});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].dims, ElementsAre(4, 6));
  EXPECT_EQ(PlaceText(groups[0], groups), "a.py:3");
}

TEST(ConstraintGroupsTest, OtherSpecsRanksAndLinesAreOtherGroups) {
  const std::string line = "source_file=\"a.py\" source_line=3";
  EXPECT_THAT(TextsOf(GroupsOf({{"f32[8]", line, "P('x')"},
                                {"f32[4]", line, "P()"},
                                {"f32[2,1]", line, "P()"},
                                {"f32[1]", "", "P()"},
                                {"f32[1]", "", "P()"}})),
              ElementsAre("^(c\\.0)$ a.py:3", "^(c\\.1)$ a.py:3", "^(c\\.2)$ a.py:3", "^(c\\.3)$ ",
                          "^(c\\.4)$ "));
}

// A pattern would mean both.
TEST(ConstraintGroupsTest, ANameThatIsAlsoAnOperationsIsLeftOut) {
  EXPECT_THAT(GroupsOf({{"f32[8]", "", "P('x')"}, {"f32[4]", "op_name=\"c.0\"", "P()"}}),
              ::testing::SizeIs(1));
}

}  // namespace
}  // namespace tessera::pipeline
