#include "tessera/testing/keep_edits/module_files.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"

namespace tessera::testing {

std::vector<std::string> FilesUnder(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file() && absl::EndsWith(path, suffix)) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tessera::testing
