#include "tessera/text/text_difference.h"

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tessera::text {
namespace {

std::string Line(int number) { return absl::StrCat("  the line number ", number, "\n"); }

void ExpectRestored(const std::string& text, const std::string& other) {
  EXPECT_EQ(TextDifference::Between(text, other).Restore(other), text) << other;
}

TEST(TextDifferenceTest, TextsWithoutLines) {
  for (const char* text : {"", "\n", "\n\n", "a", "no line end, but long enough", "}\n"}) {
    for (const char* other : {"", "\n", "a", "no line end, but long enough\n", "}\n}\n"}) {
      ExpectRestored(text, other);
    }
  }
}

// A line at the end of the one is the beginning of one in the other.
TEST(TextDifferenceTest, LinesThatGoOnInTheOther) {
  ExpectRestored("a line that is long enough", "a line that is long enough, and more\n");
  ExpectRestored("a line that is long enough\nb", "a line that is long enough\nbc\n");
  ExpectRestored("a line that is long enough\nbc\n", "a line that is long enough\nb");
}

TEST(TextDifferenceTest, EqualTextsTakeNearlyNothing) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += Line(i);
  EXPECT_LT(TextDifference::Between(text, text).bytes(), 100u);
  EXPECT_LT(TextDifference::Between(text, Line(-1) + text + Line(-2)).bytes(), 100u);
}

TEST(TextDifferenceTest, LinesThatWentMovedAndCame) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text, other;
    for (int i = 0; i < 40; ++i) {
      const std::string same = random() % 4 == 0 ? "}\n" : Line(static_cast<int>(random() % 20));
      if (random() % 5 != 0) text += same;
      if (random() % 5 != 0) other += same;
      if (random() % 8 == 0) other += Line(100 + static_cast<int>(random() % 20));
    }
    if (round % 3 == 0) text.pop_back();
    if (round % 5 == 0) other.pop_back();
    ExpectRestored(text, other);
    ExpectRestored(other, text);
  }
}

}  // namespace
}  // namespace tessera::text
