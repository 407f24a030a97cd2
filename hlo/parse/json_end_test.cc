#include "tessera/hlo/parse/json_end.h"

#include <random>
#include <string>

#include "gtest/gtest.h"

namespace tessera::hlo {
namespace {

// The obvious search, from each brace anew, a character at a time.
const char* SlowFind(const char* p, const char* end) {
  int depth = 0;
  bool is_in_string = false, is_escaped = false;
  for (; p < end; ++p) {
    if (is_escaped && *p == '\n') return nullptr;
    const bool is_plain = !is_escaped;
    is_escaped = is_in_string && is_plain && *p == '\\';
    if (*p == '"' && is_plain) is_in_string = !is_in_string;
    if (is_in_string) continue;
    if (*p == '{') ++depth;
    if (*p == '}' && --depth == 0) return p + 1;
  }
  return nullptr;
}

// All braces of a text with one finder, each of which may note something.
TEST(JsonEndTest, AsTheObviousSearch) {
  std::mt19937 random(1);
  int closed = 0, open = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const int size = static_cast<int>(random() % 60);
    for (int i = 0; i < size; ++i) text += "{{}}\"\\\n\na"[random() % 9];
    text.append(64, '\0');
    const char* end = text.data() + size;
    JsonEndFinder finder;
    for (int i = 0; i < size; ++i) {
      if (text[static_cast<size_t>(i)] != '{') continue;
      const char* expected = SlowFind(text.data() + i, end);
      ++(expected == nullptr ? open : closed);
      ASSERT_EQ(finder.Find(text.data() + i, end), expected) << text << " at " << i;
    }
  }
  EXPECT_GT(closed, 1000);
  EXPECT_GT(open, 1000);
}

}  // namespace
}  // namespace tessera::hlo
