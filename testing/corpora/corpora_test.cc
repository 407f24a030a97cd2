#include "tessera/testing/corpora/corpora.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace tessera::testing {
namespace {

class CorpusFolderTest : public ::testing::Test {
 protected:
  CorpusFolderTest() { std::filesystem::create_directories(shared_ + "/hlo"); }

  const std::string shared_ = ::testing::TempDir() + "/shared";
};

TEST_F(CorpusFolderTest, NoneWhereTheVariableSaysNothing) {
  unsetenv("TESSERA_SHARED");
  EXPECT_EQ(CorpusFolder("hlo"), std::nullopt);
  setenv("TESSERA_SHARED", "", 1);
  EXPECT_EQ(CorpusFolder("hlo"), std::nullopt);
}

TEST_F(CorpusFolderTest, AFolderOfTheCorpora) {
  setenv("TESSERA_SHARED", shared_.c_str(), 1);
  EXPECT_EQ(CorpusFolder("hlo"), shared_ + "/hlo");
}

TEST_F(CorpusFolderTest, AFolderThatIsMissingFails) {
  setenv("TESSERA_SHARED", shared_.c_str(), 1);
  EXPECT_NONFATAL_FAILURE(CorpusFolder("conformance"), "no folder");
}

}  // namespace
}  // namespace tessera::testing
