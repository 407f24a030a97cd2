#include "tessera/text/error_place.h"

#include "gtest/gtest.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"
#include "tessera/text/source.h"

namespace tessera::text {
namespace {

TEST(ErrorPlaceTest, IsWhatTheMessageSays) {
  const auto source = Source::FromString("a.hlo", "x\n\ty = dott(x)\n");
  const auto place = FindErrorPlace(Located(ErrorAt(7, "unknown opcode 'dott'"), *source));
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->file, "a.hlo");
  EXPECT_EQ(place->line, 2);
  EXPECT_EQ(place->column, 6);
  EXPECT_EQ(place->message, "unknown opcode 'dott'");
  EXPECT_EQ(place->excerpt, "   y = dott(x)\n       ^");
}

TEST(ErrorPlaceTest, OfSeveralItIsTheFirstInTheText) {
  const auto source = Source::FromString("a.hlo", "one\ntwo\nthree\n");
  absl::Status found;
  Collect(ErrorAt(8, "three?"), &found);
  Collect(ErrorAt(4, "two?"), &found);
  EXPECT_EQ(FindErrorPlace(LocatedAll(found, *source))->line, 2);
}

TEST(ErrorPlaceTest, AWarningInFrontOfAnErrorIsNone) {
  const auto source = Source::FromString("a.hlo", "one\ntwo\n");
  Diagnostics found;
  found.Add({Severity::kWarning, 0, "one?"});
  found.Error(4, "two?");
  EXPECT_EQ(FindErrorPlace(found.ToStatus(*source))->message, "two?");
}

TEST(ErrorPlaceTest, AStatusWithoutPlace) {
  EXPECT_FALSE(FindErrorPlace(absl::OkStatus()).has_value());
  EXPECT_FALSE(FindErrorPlace(absl::NotFoundError("a.hlo: no such file")).has_value());
}

}  // namespace
}  // namespace tessera::text
