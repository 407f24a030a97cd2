#include "tessera/pipeline/input/location_remapper.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/unread_module.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kInput[] = R"(HloModule m

// a comment
f {
  a = f32[8] parameter(0)
  ROOT b = f32[8] negate(a), sharding={replicated}
}

ENTRY e {
  p = f32[8] parameter(0)
  c = f32[8] call(p), to_apply=f
  ROOT d = f32[8] add(c, p)
}
)";

// As after inlining: another order, another text.
constexpr char kCleaned[] = R"(HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}

ENTRY %e (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %b.1 = f32[8]{0} negate(%p), sharding={replicated}
  ROOT %d = f32[8]{0} add(%b.1, %p)
}
)";

hlo::Module Parse(absl::string_view text, const char* name) {
  auto module = hlo::ParseModule(text, name);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

std::string Locate(absl::string_view at) {
  const hlo::Module cleaned = Parse(kCleaned, "<cleaned>");
  const hlo::UnreadModule input(Parse(kInput, "in.hlo"));
  const size_t offset = absl::string_view(kCleaned).find(at);
  return std::string(LocatedInInput(text::ErrorAt(offset, "wrong"), cleaned, input).message());
}

TEST(InputPlace, InstructionOfTheSameName) {
  EXPECT_THAT(Locate("ROOT %d"), StartsWith("in.hlo:12:3: error: wrong\n    ROOT d = "));
}

TEST(InputPlace, CopyOfAnInlinedInstruction) {
  EXPECT_THAT(Locate("%b.1"), StartsWith("in.hlo:6:3: error: wrong"));
  EXPECT_THAT(Locate("sharding={replicated}"), StartsWith("in.hlo:6:30: error: wrong"));
}

// XLA counts copies by the name without its number: the second copy of b.3 may be b.1.
TEST(InputPlace, CopyWithAnotherNumber) {
  const hlo::Module cleaned = Parse(kCleaned, "<cleaned>");
  std::string text = kInput;
  text.replace(text.find(" b ="), 4, " b.3 =");
  const hlo::UnreadModule input(Parse(text, "in.hlo"));
  const size_t offset = absl::string_view(kCleaned).find("%b.1");
  const std::string message(
      LocatedInInput(text::ErrorAt(offset, "wrong"), cleaned, input).message());
  EXPECT_THAT(message, StartsWith("in.hlo:6:3: error: wrong"));
}

TEST(InputPlace, OfTheModuleThatIsRemembered) {
  hlo::Module cleaned = Parse(kCleaned, "<cleaned>");
  RememberInput(hlo::UnreadModule(Parse(kInput, "in.hlo")), &cleaned);
  const hlo::Module copy = cleaned;
  const size_t offset = absl::string_view(kCleaned).find("%b.1");
  const std::string message(
      LocatedInInput(text::ErrorAt(offset, "wrong"), copy, std::nullopt).message());
  EXPECT_THAT(message, StartsWith("in.hlo:6:3: error: wrong"));
}

TEST(InputPlace, HeaderForTheRest) {
  EXPECT_THAT(Locate("entry_computation_layout"), StartsWith("in.hlo:1:1: error: wrong"));
}

TEST(InputPlace, AllMistakesInTheOrderOfTheInput) {
  const hlo::Module input = Parse(kInput, "in.hlo");
  absl::Status found;
  text::Collect(text::ErrorAt(absl::string_view(kInput).find("ROOT d"), "second"), &found);
  text::Collect(text::ErrorAt(absl::string_view(kInput).find("p = "), "first"), &found);
  const std::string message(LocatedInInput(found, input, std::nullopt).message());
  EXPECT_THAT(message, StartsWith("in.hlo:10:3: error: first"));
  EXPECT_THAT(message, HasSubstr("in.hlo:12:3: error: second"));
}

TEST(InputPlace, WithoutAPlaceAsItIs) {
  const hlo::Module input = Parse(kInput, "in.hlo");
  EXPECT_EQ(LocatedInInput(absl::InvalidArgumentError("no mesh"), input, std::nullopt).message(),
            "no mesh");
}

}  // namespace
}  // namespace tessera::pipeline
