#include "tessera/text/error_list.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::text {
namespace {

TEST(ErrorList, OkIsEmpty) {
  absl::Status found;
  Collect(absl::OkStatus(), &found);
  EXPECT_TRUE(found.ok());
  EXPECT_TRUE(ErrorList(found).empty());
}

TEST(ErrorList, ReadsLikeTheFirst) {
  absl::Status found;
  Collect(ErrorAt(7, "first"), &found);
  Collect(absl::OkStatus(), &found);
  Collect(ErrorAt(2, "second: 3 4 "), &found);
  EXPECT_EQ(found.message(), "first");
  EXPECT_EQ(ErrorOffset(found), 7u);
  const std::vector<Diagnostic> list = ErrorList(found);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].message, "second: 3 4 ");
  EXPECT_EQ(list[1].offset, 2u);
}

TEST(ErrorList, ListsOfMistakesJoin) {
  absl::Status left;
  Collect(ErrorAt(1, "a"), &left);
  Collect(ErrorAt(2, ""), &left);
  absl::Status right;
  Collect(ErrorAt(3, "c"), &right);
  Collect(ErrorAt(4, "d"), &right);
  Collect(right, &left);
  const std::vector<Diagnostic> list = ErrorList(left);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[1].message, "");
  EXPECT_EQ(list[3].offset, 4u);
}

TEST(ErrorList, LocatedInTheOrderOfTheText) {
  const auto source = Source::FromString("a.txt", "one two\nthree\n");
  absl::Status found;
  Collect(ErrorAt(8, "no third"), &found);
  Collect(ErrorAt(4, "no second"), &found);
  EXPECT_EQ(LocatedAll(found, *source).message(),
            "a.txt:1:5: error: no second\n  one two\n      ^\n"
            "a.txt:2:1: error: no third\n  three\n  ^\n");
}

TEST(ErrorList, KeepsSoMany) {
  absl::Status found;
  for (int i = 0; i < 300; ++i) Collect(ErrorAt(i, "again"), &found);
  EXPECT_EQ(ErrorList(found).size(), Diagnostics::kMost);
}

}  // namespace
}  // namespace tessera::text
