// Reading a text in which every line has a mistake takes four times the work, and not much more,
// for one four times as long (growth_check.h says what work is). the end of a brace
// or bracket that nothing closes was looked for in the rest of the text, for each line anew.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/testing/hostile/generators.h"
#include "tessera/testing/hostile/growth_check.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {
namespace {

struct Mistake {
  const char* name;
  const char* line;  // after `x.N = `
};

class MistakesGrowthTest : public ::testing::TestWithParam<Mistake> {};

Work WorkOf(const char* line, int lines) {
  std::string text = "HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n";
  for (int i = 0; i < lines; ++i) absl::StrAppend(&text, "  x.", i, " = ", line, "\n");
  absl::StrAppend(&text, "  ROOT r = f32[2] negate(a)\n}\n");
  const WorkCounter counter;
  EXPECT_FALSE(hlo::ParseModule(text).ok());
  return counter.SoFar();
}

TEST_P(MistakesGrowthTest, ReadingIsLinear) {
  const char* line = GetParam().line;
  EXPECT_TRUE(GrowsAtMost(
      kLinear, [&] { return WorkOf(line, 4000); }, [&] { return WorkOf(line, 16000); }));
}

constexpr Mistake kMistakes[] = {
    {"Brace", "f32[2] negate(a), backend_config={\"a\":1, .."},
    {"BraceAndString", "f32[2] negate(a), backend_config={\"a"},
    {"BraceAndEscapedString", "f32[2] negate(a), backend_config={\\\"a"},
    {"TupleShape", "(f32[2], f32[2] tuple(a, a)"},
    {"Comment", "f32[2] negate(a /* b"},
    {"PhysicalShape", "f32[2]{0:D(D)P(f32[2]) negate(a)"},
    {"String", "f32[2] negate(a), metadata={op_name=\"a"},
};
INSTANTIATE_TEST_SUITE_P(All, MistakesGrowthTest, ::testing::ValuesIn(kMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::testing::hostile
