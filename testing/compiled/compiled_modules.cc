#include "tessera/testing/compiled/compiled_modules.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "gtest/gtest.h"
#include "tessera/testing/corpora/corpora.h"

namespace tessera::testing {

std::vector<std::string> CompiledModules(const std::string& ending) {
  std::vector<std::string> paths;
  const std::optional<std::string> folder = CorpusFolder("targets/shared");
  if (!folder) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const std::string path = entry.path().string();
    if (path.size() > ending.size() && path.rfind(ending) == path.size() - ending.size()) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty()) << *folder << " has no file *" << ending;
  return paths;
}

std::string Unpacked(const std::string& path) {
  std::string text;
  FILE* pipe = popen(("xz -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "xz does not run";
    return text;
  }
  char block[1 << 16];
  for (size_t n; (n = fread(block, 1, sizeof(block), pipe)) > 0;) text.append(block, n);
  EXPECT_EQ(pclose(pipe), 0) << path;
  return text;
}

}  // namespace tessera::testing
