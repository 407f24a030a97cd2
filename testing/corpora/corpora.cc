#include "tessera/testing/corpora/corpora.h"

#include <cstdlib>
#include <filesystem>

#include "gtest/gtest.h"

namespace tessera::testing {

std::optional<std::string> CorpusFolder(const std::string& name) {
  const char* shared = std::getenv("TESSERA_SHARED");
  if (shared == nullptr || *shared == '\0') return std::nullopt;
  const std::filesystem::path folder = std::filesystem::path(shared) / name;
  if (!std::filesystem::is_directory(folder)) ADD_FAILURE() << "no folder " << folder;
  return folder.string();
}

}  // namespace tessera::testing
