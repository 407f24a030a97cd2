#include "tessera/hlo/error_at.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/parser.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {
namespace {

constexpr absl::string_view kText = "HloModule m\n\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n";

TEST(ErrorAt, HasThePlaceOfTheInstruction) {
  const Module module = *ParseModule(kText);
  const InstructionId root = module.entry().root;
  const absl::Status plain = ErrorAt(module, root, "no");
  EXPECT_EQ(plain.message(), "no");
  EXPECT_EQ(text::ErrorOffset(plain), kText.find("ROOT"));
  EXPECT_EQ(ErrorAtName(module, root, "no").message(), "%x: no");
}

TEST(PlacedAt, KeepsAPlaceAndThatSomethingIsNotImplemented) {
  const Module module = *ParseModule(kText);
  const InstructionId root = module.entry().root;
  EXPECT_EQ(text::ErrorOffset(PlacedAt(module, root, text::ErrorAt(3, "no"))), 3u);
  const absl::Status placed = PlacedAt(module, root, absl::UnimplementedError("sort"));
  EXPECT_TRUE(absl::IsUnimplemented(placed));
  EXPECT_EQ(text::ErrorOffset(placed), kText.find("ROOT"));
}

// A module in memory alone: names stand for places.
TEST(PlacedAt, NamesWhatIsInNoText) {
  Module module = *ParseModule(kText);
  const InstructionId root = module.entry().root;
  const InstructionId made =
      Builder(&module).Add(module.entry_id(), Opcode::kNegate, "made", module.shape(root), {root});
  const absl::Status placed = PlacedAt(module, made, absl::InvalidArgumentError("no"));
  EXPECT_EQ(placed.message(), "%made: no");
}

}  // namespace
}  // namespace tessera::hlo
