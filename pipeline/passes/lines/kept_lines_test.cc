// Modules with calls, comments and a spelling of their own, and what is left of that.

#include "tessera/pipeline/passes/lines/kept_lines.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/text/source.h"

namespace tessera::pipeline::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Cleaned(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  if (!module.ok()) return std::string(module.status().message());
  const auto cleaned = CleanUp(*module);
  if (!cleaned.ok()) return std::string(cleaned.status().message());
  return cleaned->has_value() ? std::string((*cleaned)->source_text()) : "nothing to do";
}

constexpr char kMarked[] = R"(// a file of ours
HloModule m

// gone with its computation
half {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}

// the entry
ENTRY e {
  // weights
  w  = f32[4]   parameter(0)   // odd blanks
  x = f32[4] call(w), to_apply=half

  // what comes out
  y = f32[4] add(w, w)
  ROOT r = (f32[4], f32[4]) tuple(x, y) // both
}
// the end
)";

TEST(KeptLinesTest, WhatSaysTheSameStays) {
  EXPECT_EQ(Cleaned(kMarked), R"(// a file of ours
HloModule m

// gone with its computation

// the entry
ENTRY e {
  // weights
  w  = f32[4]   parameter(0)   // odd blanks
  n.1 = f32[4]{0} negate(w)

  // what comes out
  y = f32[4] add(w, w)
  ROOT r = (f32[4]{0}, f32[4]{0}) tuple(n.1, y)
}
// the end
)");
}

TEST(KeptLinesTest, EmptyLinesBeforeAComputationStay) {
  const std::string two = absl::StrReplaceAll(kMarked, {{"\n// the entry", "\n\n// the entry"}});
  EXPECT_THAT(Cleaned(two), HasSubstr("its computation\n\n\n// the entry\nENTRY e {\n"));
}

// Lines in another order than they are printed in, and one that was never printed: each is found by
// its name.
TEST(KeptLinesTest, LinesInAnotherOrderStayAsTheyAre) {
  const std::string text = Cleaned(R"(HloModule m

half {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}

ENTRY e {
  v = f32[4]{0} parameter(1)
  w = f32[4]{0}  parameter(0)  // spelled otherwise
  late = f32[4]{0} cosine(v)
  unused = f32[4]{0} sine(w)
  x = f32[4]{0} call(w), to_apply=half
  ROOT y = (f32[4]{0}, f32[4]{0}) tuple(x, late)
}
)");
  EXPECT_THAT(text, HasSubstr("  v = f32[4]{0} parameter(1)\n"));
  EXPECT_THAT(text, HasSubstr("  w = f32[4]{0}  parameter(0)  // spelled otherwise\n"));
  EXPECT_THAT(text, HasSubstr("  late = f32[4]{0} cosine(v)\n"));
  EXPECT_THAT(text, HasSubstr("  ROOT y = (f32[4]{0}, f32[4]{0}) tuple(n.1, late)\n"));
}

// New lines take after the module: with '%', and with the shapes of programs.
TEST(KeptLinesTest, NewLinesLookLikeTheOthers) {
  const std::string text = Cleaned(R"(HloModule m

%half (p: f32[4]) -> f32[4] {
  %p = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%p)
}

ENTRY %e (w: f32[4]) -> f32[4] {
  %w = f32[4] parameter(0)
  ROOT %x = f32[4] call(%w), to_apply=%half
}
)");
  EXPECT_THAT(text, HasSubstr("ENTRY %e (w: f32[4]) -> f32[4] {\n  %w = f32[4] parameter(0)\n"));
  EXPECT_THAT(text, HasSubstr("  ROOT %n.1 = f32[4]{0} negate(%w)\n}\n"));
}

// Two instructions on a line: printed anew, all of it.
TEST(KeptLinesTest, TextWithoutLinesIsPrinted) {
  const std::string text =
      Cleaned(absl::StrReplaceAll(kMarked, {{"parameter(0)   // odd blanks\n", "parameter(0)"}}));
  EXPECT_THAT(text, HasSubstr("  w = f32[4]{0} parameter(0)\n"));
  EXPECT_THAT(text, Not(HasSubstr("//")));
}

// So is one with an instruction over several lines.
TEST(KeptLinesTest, LongInstructionsArePrinted) {
  const std::string text = Cleaned(
      absl::StrReplaceAll(kMarked, {{"add(w, w)", "add(w, w), backend_config={\n  \"a\": {\n}}"}}));
  EXPECT_THAT(text, HasSubstr("backend_config={\n  \"a\": {\n}}\n"));
  EXPECT_THAT(text, Not(HasSubstr("//")));
}

// Of a file with several modules, the one that is cleaned.
TEST(KeptLinesTest, OneModuleOfSeveral) {
  const auto source = text::Source::FromString("two.hlo", std::string(kMarked) + kMarked);
  const hlo::ParsedText parsed = hlo::ParseModules(source);
  ASSERT_EQ(parsed.modules.size(), 2u);
  const auto cleaned = CleanUp(parsed.modules[1]);
  ASSERT_TRUE(cleaned.ok() && cleaned->has_value());
  EXPECT_THAT(std::string((*cleaned)->source_text()), testing::StartsWith("HloModule m\n"));
}

}  // namespace
}  // namespace tessera::pipeline::passes
