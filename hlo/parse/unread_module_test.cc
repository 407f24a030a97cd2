#include "tessera/hlo/unread_module.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/text/source.h"

namespace tessera::hlo {
namespace {

std::string TextWith(absl::string_view root) {
  std::string text = "HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0) // the parameter\n";
  for (int i = 0; i < 100; ++i) absl::StrAppend(&text, "  n", i, " = f32[2] negate(p)\n");
  return absl::StrCat(text, "  ROOT r = f32[2] ", root, "(p)\n}\n");
}

UnreadModule Unread(const std::string& text) {
  const auto module = ParseModule(text, "input.hlo");
  EXPECT_TRUE(module.ok()) << module.status();
  return UnreadModule(*module);
}

TEST(UnreadModuleTest, BesideAnotherTextItIsReadAsItWas) {
  const std::string text = TextWith("negate");
  UnreadModule input = Unread(text);
  input.KeepBeside(text::Source::FromString("changed.hlo", TextWith("cosine")));
  EXPECT_EQ(input.text()->text(), text);
  EXPECT_EQ(input.text()->name(), "input.hlo");
  const Module read = input.Read();
  EXPECT_EQ(read.num_instructions(), 102u);
  EXPECT_EQ(read.instruction(read.entry().root).opcode, Opcode::kNegate);
}

// Only what nobody else holds is worth a difference, and not beside a text that has nothing of it.
TEST(UnreadModuleTest, TheTextItselfWhereADifferenceSparesNothing) {
  const auto module = ParseModule(TextWith("negate"));
  ASSERT_TRUE(module.ok());
  UnreadModule held(*module);
  held.KeepBeside(text::Source::FromString("changed.hlo", TextWith("cosine")));
  EXPECT_EQ(held.text(), module->text());
  UnreadModule alone = Unread(TextWith("negate"));
  const text::Source* const own = alone.text().get();
  alone.KeepBeside(text::Source::FromString("other.hlo", "nothing of it\n"));
  alone.KeepBeside(nullptr);
  EXPECT_EQ(alone.text().get(), own);
}

}  // namespace
}  // namespace tessera::hlo
