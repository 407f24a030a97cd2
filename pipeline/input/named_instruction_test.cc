#include "tessera/pipeline/input/named_instruction.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kModule[] = R"(HloModule m

body {
  x = f32[8] parameter(0)
  ROOT dot.3 = f32[8] negate(x), metadata={op_name="jit(f)/body/neg" source_file="/home/me/net.py" source_line=7}
}

other {
  x = f32[8] parameter(0)
  ROOT exp.1 = f32[8] exponential(x)
}

ENTRY main {
  x = f32[8] parameter(0), metadata={op_name="params['w']"}
  a = f32[8] call(x), to_apply=body
  ROOT b = f32[8] call(a), to_apply=other
}
)";

class NamedInstruction : public ::testing::Test {
 protected:
  NamedInstruction() : module_(*hlo::ParseModule(kModule)) {}
  std::string Found(absl::string_view name) {
    const auto id = FindNamed(module_, name);
    if (!id.ok()) return std::string(id.status().message());
    const hlo::Instruction& i = module_.instruction(*id);
    return std::string(module_.computation(i.computation).name) + "/" + std::string(i.name);
  }
  hlo::Module module_;
};

TEST_F(NamedInstruction, ByNameTheEntryGoesFirst) {
  EXPECT_EQ(Found("x"), "main/x");
  EXPECT_EQ(Found("%dot.3"), "body/dot.3");
  EXPECT_EQ(Found("body/%x"), "body/x");
  EXPECT_EQ(FindAllNamed(module_, "x").size(), 3u);
}

TEST_F(NamedInstruction, ByOpNameLineAndPattern) {
  EXPECT_EQ(Found("params['w']"), "main/x");
  EXPECT_EQ(Found("params[w]"), "main/x");
  EXPECT_EQ(Found("jit(f)/body/neg"), "body/dot.3");
  EXPECT_EQ(Found("net.py:7"), "body/dot.3");
  EXPECT_EQ(Found("^exp"), "other/exp.1");
  EXPECT_EQ(Found(R"(params\['w'\])"), "main/x");
  EXPECT_THAT(Found("jit['b']"), HasSubstr("no instruction"));  // a path, no set of characters
  EXPECT_EQ(Found("jit(f)/bo"), "body/dot.3");  // no regular expression that matches: it begins so
}

TEST_F(NamedInstruction, SeveralOrNoneAreAMistake) {
  EXPECT_EQ(Found("^(a|b)$"), "2 instructions fit '^(a|b)$': expected main/a or main/b");
  EXPECT_EQ(Found("nothing"), "the module has no instruction 'nothing'");
  EXPECT_EQ(Found("dott.3"), "the module has no instruction 'dott.3'; the nearest name is dot.3");
  EXPECT_THAT(FindAllNamed(module_, "("), IsEmpty());
  EXPECT_THAT(FindAllNamed(module_, ""), IsEmpty());
}

}  // namespace
}  // namespace tessera::pipeline
