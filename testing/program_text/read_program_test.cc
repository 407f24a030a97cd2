#include "tessera/testing/program_text/read_program.h"

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/text/program_text.h"

namespace tessera::sharding::passes {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kWhole = R"(mesh <["a"=2, "b"=4]>
entry e(%arg0 f32[8,4] [{"a"}, {"b":(1)2, ?}p1], %arg1 s32[]) {
  %one s32[] = constant() {literal=1}
  %t f32[4,8] [{}, {}] replicated="a" unreduced="b" = transpose(%arg0) {dimensions={1,0}}
  %c (s32[], token[]) = custom-call() {custom_call_target="a, \"}b"}
  group(%t, id=3)
  %barrier f32[4,8] = barrier(%t, direction=backward)
  %w#0 f32[4,8], %w#1 s32[] = while(%barrier, %arg1)
  block 0(%arg0' f32[4,8], %arg1' s32[]) {
    %p pred[] = compare(%arg1', %one) {direction=LT}
    return(%p)
  }
  block 1(%arg0'2 f32[4,8], %arg1'2 s32[]) {
    %s s32[] = add(%arg1'2, %one)
    return(%arg0'2, %s)
  }
  %m f32[4,8] = manual(%w#0, axes=a,b)
  block 0(%arg0'3 f32[4,1] [{}, {"a", "b"}]) {
    %call f32[4,1] = call(%arg0'3, f)
    return(%call)
  }
  %edge f32[4,8] = edge(%m)
  return(%edge, %w#1) -> [{"a"}, {?}] -> none
}
f(%arg0'4 f32[4,1]) {
  %n f32[4,1] = negate(%arg0'4)
  %n' f32[4,1] = negate(%n)
  return(%n') -> [{}, {?}] unreduced="a", "b"
}
)";

std::string Error(absl::string_view text) {
  hlo::Module module;
  const auto program = ReadProgram(text, &module);
  return program.ok() ? "no error" : std::string(program.status().message());
}

TEST(ReadProgramTest, AWholeProgramIsReadAsItPrints) {
  hlo::Module module;
  const auto program = ReadProgram(kWhole, &module);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(ProgramToString(**program), kWhole);
}

TEST(ReadProgramTest, CopiesAreOneInstruction) {
  hlo::Module module;
  const auto program = ReadProgram(kWhole, &module);
  ASSERT_TRUE(program.ok()) << program.status();
  const Op* first = (*program)->functions()[1]->body->first;
  EXPECT_EQ(first->source, first->next->source);
  EXPECT_TRUE(first->pure);
}

TEST(ReadProgramTest, MeshAndShapesMayBeLeftOut) {
  constexpr absl::string_view kText = R"(entry e(%arg0 [{"c":(1)2, ?}, {"a"}]) {
  %n = negate(%arg0)
  return(%n) -> [{"c":(1)2}, {}]
}
)";
  hlo::Module module;
  const auto program = ReadProgram(kText, &module);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(ProgramOutline(**program), kText);
  EXPECT_THAT(ProgramToString(**program), HasSubstr(R"(mesh <["c"=4, "a"=2]>)"));
  EXPECT_THAT(ProgramToString(**program), HasSubstr("%arg0 f32[8,8]"));
}

struct ErrorCase {
  absl::string_view text, error;
};

TEST(ReadProgramTest, ErrorsHaveAPlace) {
  constexpr ErrorCase kCases[] = {
      {"", "1:1: error: expected a function"},
      {"entry e(%x) {\n  return(%y) -> none\n}\n", "2:10: error: %y is not defined"},
      {"entry e(%x) {\n  %x = negate(%x)\n  return(%x) -> none\n}\n",
       "2:3: error: %x is defined twice"},
      {"entry e(%x) {\n  %y = nagate(%x)\n  return(%y) -> none\n}\n",
       "2:3: error: no op is named 'nagate'"},
      {"entry e(%x) {\n  %y = call(%x, f)\n  return(%y) -> none\n}\n",
       "2:3: error: no function is named 'f'"},
      {"entry e(%x) {\n  barrier(%x, direction=up)\n  return() \n}\n",
       "2:3: error: expected direction=none"},
      {"entry e(%x) {\n  return(%x)\n}\n", "2:3: error: expected '->' and a sharding"},
      {"entry e(%x) {\n  %y = negate(%x)\n}\n", "the block does not end with a return"},
      {"entry e(%x) {\n  return(%x) -> none\n", "expected '}' at the end of the block"},
      {"mesh <[\"a\"=2]>\nentry e(%x [{\"b\"}]) {\n  return() \n}\n", "has no axis"},
      {"entry e(%x) {\n  %y = iota() {size=3}\n  return() \n}\n", "no attribute is named 'size'"},
  };
  for (const ErrorCase& c : kCases) EXPECT_THAT(Error(c.text), HasSubstr(c.error)) << c.text;
}

}  // namespace
}  // namespace tessera::sharding::passes
