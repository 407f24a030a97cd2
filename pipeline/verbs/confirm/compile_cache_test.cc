#include "tessera/pipeline/verbs/confirm/compile_cache.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

TEST(CompileCacheTest, KeepsWhatItIsGiven) {
  const CompileCache cache(::testing::TempDir() + "/keeps");
  EXPECT_FALSE(cache.Find("q").has_value());
  cache.Keep("q", {"HloModule m", "peak_memory 12\n", "note: by GSPMD\n"});
  ASSERT_TRUE(cache.Find("q").has_value());
  EXPECT_EQ(cache.Find("q")->text, "HloModule m");
  EXPECT_EQ(cache.Find("q")->memory, "peak_memory 12\n");
  EXPECT_EQ(cache.Find("q")->warning, "note: by GSPMD\n");
  EXPECT_FALSE(cache.Find("r").has_value());
}

// An entry that was not written to its end.
TEST(CompileCacheTest, WithoutItsQuestionThereIsNoEntry) {
  const CompileCache cache(::testing::TempDir() + "/cut");
  cache.Keep("q", {"HloModule m", "", ""});
  const std::string text = cache.PathOf("q");
  std::remove((text.substr(0, text.rfind('/')) + "/question").c_str());
  EXPECT_FALSE(cache.Find("q").has_value());
}

TEST(CompileCacheTest, AFolderThatCannotBeWritten) {
  const CompileCache cache("/proc/none");
  cache.Keep("q", {"HloModule m", "", ""});
  EXPECT_FALSE(cache.Find("q").has_value());
  EXPECT_FALSE(CompileCache("").Find("q").has_value());
}

TEST(CompileCacheTest, FolderOfTheUser) {
  setenv("XDG_CACHE_HOME", "/c", 1);
  EXPECT_EQ(CompileCache::OfUser().PathOf("").find("/c/tessera/compiled/"), 0);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(CompileCache::OfUser().PathOf("").find("/h/.cache/tessera/compiled/"), 0);
}

}  // namespace
}  // namespace tessera::pipeline
