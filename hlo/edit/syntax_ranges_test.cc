#include "tessera/hlo/syntax_ranges.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::hlo {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

struct PartsCase {
  const char* line;  // of instruction c
  const char* shape;
  const char* opcode;
  std::vector<std::string> operands;
  const char* attribute;  // the first one
};

Module Parse(const PartsCase& c) {
  return *ParseModule(
      absl::StrCat("ENTRY e {\n  x = f32[2] parameter(0)\n  %y = f32[2] negate(x)\n",
                   "  t = (f32[2], f32[2]) tuple(x, y)\n  ROOT ", c.line, "\n}\n"));
}

std::string TextOf(const Module& module, SourceRange range) {
  return std::string(module.source_text().substr(range.begin, range.size()));
}

const PartsCase kCases[] = {
    {"c = f32[2]{0} add(x, %y), metadata={op_name=\"c\"}",
     "f32[2]{0}",
     "add",
     {"x", "%y"},
     ", metadata={op_name=\"c\"}"},
    {"c = f32[2]{0} add(f32[2] x, f32[2]{0} %y)", "f32[2]{0}", "add", {"x", "%y"}, ""},
    {"c /*a=*/ = /*b=*/ f32[2] // d, e\n add/*f(*/(/*g, h*/ x /*i*/, y // j)\n ), /* k, l */ "
     "metadata={op_name=\"c\"}",
     "f32[2]",
     "add",
     {"x", "y"},
     ", /* k, l */ metadata={op_name=\"c\"}"},
    {"c = f32[2] add(x, y) // k, l\n  , metadata={op_name=\"c\"}",
     "f32[2]",
     "add",
     {"x", "y"},
     ", metadata={op_name=\"c\"}"},
    {"c = f32[2] add(x, y), // m, n\n metadata={op_name=\"c\"}",
     "f32[2]",
     "add",
     {"x", "y"},
     ", // m, n\n metadata={op_name=\"c\"}"},
    {"c = (f32[2]{0}, /*1,*/ f32[2]) tuple(t#0, %t#1)",
     "(f32[2]{0}, /*1,*/ f32[2])",
     "tuple",
     {"t#0", "%t#1"},
     ""},
    {"c = f32[2] add(f32[2] add(x, /*)*/ y), y)",
     "f32[2]",
     "add",
     {"f32[2] add(x, /*)*/ y)", "y"},
     ""},
    {"c = get-tuple-element/*,*/((f32[2], f32[2]) t), index=0",
     "",
     "get-tuple-element",
     {"t"},
     ", index=0"},
};

TEST(WrittenParts, Table) {
  for (const PartsCase& c : kCases) {
    const Module module = Parse(c);
    const InstructionId id = module.FindInstruction("c");
    EXPECT_EQ(TextOf(module, FindHead(module, id).shape), c.shape) << c.line;
    EXPECT_EQ(TextOf(module, FindHead(module, id).opcode), c.opcode) << c.line;
    std::vector<std::string> operands;
    for (SourceRange range : FindOperands(module, id)) operands.push_back(TextOf(module, range));
    EXPECT_THAT(operands, ElementsAreArray(c.operands)) << c.line;
    if (*c.attribute == 0) continue;
    EXPECT_EQ(TextOf(module, AttributeRangeWithSeparator(module, id, 0)), c.attribute) << c.line;
  }
}

TEST(WrittenParts, SplitAtCommas) {
  const auto source = text::Source::FromString("s", "(a, \"b,\" , {c,d} /*,*/, e // ,\n)");
  std::vector<std::string> parts;
  const absl::string_view text = source->text();
  const uint32_t end = static_cast<uint32_t>(text.size()) - 1;
  for (SourceRange r : SplitAtCommas(text, 1, end))
    parts.emplace_back(text.substr(r.begin, r.size()));
  EXPECT_THAT(parts, ElementsAre("a", "\"b,\"", "{c,d}", "e"));
}

}  // namespace
}  // namespace tessera::hlo
