#include "tessera/testing/references/nearest_reference.h"

#include <filesystem>
#include <fstream>

namespace tessera::testing {

absl::StatusOr<sharding::reference::Reference> NearestReference(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path folder = fs::absolute(path);
  if (!fs::is_directory(folder)) folder = folder.parent_path();
  for (;; folder = folder.parent_path()) {
    std::ifstream in(folder / "REFERENCE");
    std::string version;
    if (in >> version) return sharding::reference::FindReference(version);
    if (folder == folder.root_path()) return sharding::reference::Reference();
  }
}

}  // namespace tessera::testing
