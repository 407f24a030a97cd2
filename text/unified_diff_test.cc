#include "tessera/text/unified_diff.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/testing/apply_diff.h"

namespace tessera::text {
namespace {

TEST(UnifiedDiffTest, AsDiffWritesIt) {
  EXPECT_EQ(UnifiedDiff("f", "a\n", "a\n"), "");
  EXPECT_EQ(UnifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n6b\n7\n8\n9\n"),
            "--- f\n+++ f\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n+6b\n 7\n 8\n 9\n");
  EXPECT_EQ(UnifiedDiff("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(UnifiedDiff("f", "a", "b"),
            "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"
            "\\ No newline at end of file\n");
}

TEST(UnifiedDiffTest, ChangesFarApartAreTwoHunks) {
  std::string before, after;
  for (int k = 0; k < 30; ++k) {
    absl::StrAppend(&before, k, "\n");
    absl::StrAppend(&after, k == 3 || k == 20 ? "new\n" : "", k, "\n");
  }
  const std::string diff = UnifiedDiff("f", before, after);
  EXPECT_TRUE(absl::StrContains(diff, "@@ -1,6 +1,7 @@\n 0\n")) << diff;
  EXPECT_TRUE(absl::StrContains(diff, "@@ -18,6 +19,7 @@\n 17\n")) << diff;
  EXPECT_EQ(ApplyDiff(before, diff), after);
}

// All texts of up to five lines of two kinds.
TEST(UnifiedDiffTest, AppliesToAnyTexts) {
  std::vector<std::string> texts = {""};
  for (size_t k = 0; texts[k].size() < 10; ++k) {
    for (const char* line : {"a\n", "b\n"}) texts.push_back(texts[k] + line);
  }
  for (const std::string& before : texts) {
    for (const std::string& after : texts) {
      EXPECT_EQ(ApplyDiff(before, UnifiedDiff("f", before, after)), after)
          << before << "|" << after;
    }
  }
}

}  // namespace
}  // namespace tessera::text
