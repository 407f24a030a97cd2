#include "tessera/hlo/parse/json_end.h"

#include <random>
#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parse/strings.h"

namespace tessera::hlo {
namespace {

// The obvious search, from each brace anew.
const char* SlowFind(const char* p, const char* end) {
  for (int depth = 0; p < end; ++p) {
    if (*p == '"') {
      p = StringEnd(p, end);
      if (p == nullptr) return nullptr;
      --p;
    } else if (*p == '{') {
      ++depth;
    } else if (*p == '}' && --depth == 0) {
      return p + 1;
    }
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
