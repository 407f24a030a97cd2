#include "tessera/pipeline/input/source_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

// Both canonical.
bool IsBelow(const fs::path& root, const fs::path& path) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end() && rest != path.end();
}

// The descriptor of a file, or negative. A canonical path has no links: one that stands there now
// was put there meanwhile, and is refused.
int OpenBelow(const fs::path& root, const fs::path& path) {
  int at = open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (const fs::path& name : path.lexically_relative(root)) {
    const int next = openat(at, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(at);
    at = next;
  }
  return at;
}

// All of a regular file; "" for anything else, and for a file that is too large.
std::string TextOf(int file) {
  struct stat info;
  const bool is_small_file = fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                             static_cast<size_t>(info.st_size) <= SourceLines::kMaxBytes;
  if (!is_small_file) return "";
  std::string text(static_cast<size_t>(info.st_size), '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file, &text[size], text.size() - size);
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace

absl::StatusOr<SourceLines> SourceLines::Below(const std::string& folder) {
  std::error_code error;
  fs::path root = fs::canonical(folder, error);
  if (!error && fs::is_directory(root, error)) return SourceLines(std::move(root));
  return absl::InvalidArgumentError(absl::StrCat(folder, ": expected a folder"));
}

std::string SourceLines::At(absl::string_view place) {
  const size_t colon = place.rfind(':');
  size_t number = 0;
  const bool is_place = colon != absl::string_view::npos &&
                        absl::SimpleAtoi(place.substr(colon + 1), &number) && number > 0;
  if (!is_place) return "";
  const std::vector<absl::string_view>& lines = Named(std::string(place.substr(0, colon))).lines;
  return number > lines.size() ? "" : std::string(absl::StripAsciiWhitespace(lines[number - 1]));
}

const SourceLines::File& SourceLines::Named(const std::string& name) {
  const File*& file = by_name_[name];
  if (file == nullptr) {
    std::error_code error;
    const fs::path path = fs::canonical(root_ / name, error);
    const bool may_read = !error && IsBelow(root_, path) && fs::is_regular_file(path, error);
    file = &Read(may_read ? path : fs::path());
  }
  return *file;
}

// An empty path: no file.
const SourceLines::File& SourceLines::Read(const fs::path& path) {
  std::unique_ptr<const File>& known = by_path_[path.string()];
  if (known == nullptr) {
    auto file = std::make_unique<File>();
    const int opened = path.empty() ? -1 : OpenBelow(root_, path);
    const absl::Cleanup closes = [opened] { close(opened); };
    file->text = TextOf(opened);
    file->lines = absl::StrSplit(file->text, '\n');
    known = std::move(file);
  }
  return *known;
}

Flag SourceRootFlag() {
  return {"source-root", "FOLDER",
          "show lines of the program, read from files below this folder; without the flag no "
          "source file is opened",
          ""};
}

absl::StatusOr<std::unique_ptr<SourceLines>> ReadSourceRoot(const Arguments& arguments) {
  if (!arguments.Has("source-root")) return nullptr;
  auto lines = SourceLines::Below(arguments.Get("source-root"));
  if (lines.ok()) return std::make_unique<SourceLines>(*std::move(lines));
  return absl::InvalidArgumentError(absl::StrCat("--source-root=", lines.status().message()));
}

}  // namespace tessera::pipeline
