#include "tessera/pipeline/lint/forms/source_place.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"

namespace tessera::pipeline::lint {
namespace {

namespace fs = std::filesystem;

bool IsFileBelow(const fs::path& root, const fs::path& relative) {
  std::error_code ignored;
  return fs::is_regular_file(root / relative, ignored);
}

// "" if there is none. A path that steps up is no path below the root.
std::string RelativeTo(const fs::path& root, const fs::path& file) {
  const fs::path plain = file.lexically_normal();
  fs::path rest = plain.relative_path();
  for (const fs::path& part : rest) {
    if (part == "..") return "";
  }
  while (!rest.empty()) {
    if (IsFileBelow(root, rest)) return rest.generic_string();
    fs::path shorter;
    for (auto part = ++rest.begin(); part != rest.end(); ++part) shorter /= *part;
    rest = shorter;
  }
  return "";
}

}  // namespace

SourcePlace PlaceBelow(const std::string& root, absl::string_view place) {
  SourcePlace found;
  const size_t colon = place.rfind(':');
  if (colon == place.npos || !absl::SimpleAtoi(place.substr(colon + 1), &found.line)) return {};
  const std::string file(place.substr(0, colon));
  found.file = RelativeTo(root, file);
  found.is_relative = !found.file.empty();
  if (!found.is_relative) found.file = file;
  return found;
}

}  // namespace tessera::pipeline::lint
