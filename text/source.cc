#include "tessera/text/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::text {
namespace {

// Bytes that a file on disk has; 0 for pipes and the like.
size_t SizeOf(std::FILE* file) {
  struct stat info;
  const bool known = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
  return known ? static_cast<size_t>(info.st_size) : 0;
}

// Offsets in a text are 32-bit numbers.
constexpr size_t kMaxBytes = size_t{0xffffffff} - Source::kPadding;

// Why nothing of a text that begins like this needs to be read: /dev/zero has no end.
absl::Status CheckBegin(absl::string_view begin, size_t size) {
  if (size > kMaxBytes) return absl::InvalidArgumentError("exceeds the limit of 4 GiB");
  if (!begin.empty() && begin[0] == '\0') {
    return absl::InvalidArgumentError("begins with a zero byte: neither text nor binary HLO");
  }
  return absl::OkStatus();
}

// Appends the whole of an open file, with room for `extra` bytes more.
absl::Status ReadAll(std::FILE* file, size_t extra, std::string& out) {
  constexpr size_t kBlock = size_t{1} << 20;
  const size_t expected = SizeOf(file);
  if (absl::Status status = CheckBegin("", expected); !status.ok()) return status;
  out.reserve(expected + extra);
  out.resize(expected);
  size_t size = std::fread(&out[0], 1, expected, file);
  for (int next = std::fgetc(file); next != EOF; next = std::fgetc(file)) {  // more than expected
    std::ungetc(next, file);
    if (out.size() < size + kBlock) out.resize(std::max(2 * out.size(), size + kBlock));
    const size_t got = std::fread(&out[size], 1, kBlock, file);
    size += got;
    if (absl::Status status = CheckBegin(out, size); !status.ok()) return status;
  }
  out.resize(size);
  if (std::ferror(file) != 0) {
    return absl::Status(absl::ErrnoToStatusCode(errno), std::strerror(errno));
  }
  return CheckBegin(out, size);
}

}  // namespace

std::shared_ptr<const Source> Source::FromString(std::string name, absl::string_view text) {
  std::string buffer;
  buffer.reserve(text.size() + kPadding);
  buffer.append(text.data(), text.size());
  return FromBuffer(std::move(name), std::move(buffer));
}

std::shared_ptr<const Source> Source::FromBuffer(std::string name, std::string text) {
  text.append(kPadding, '\0');
  return std::shared_ptr<const Source>(new Source(std::move(name), std::move(text)));
}

absl::StatusOr<std::shared_ptr<const Source>> Source::FromFile(const std::string& path) {
  const bool standard_input = path == "-";
  std::FILE* file = standard_input ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  std::string buffer;
  errno = 0;
  const absl::Status status = ReadAll(file, kPadding, buffer);
  if (!standard_input) std::fclose(file);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  }
  buffer.append(kPadding, '\0');
  return std::shared_ptr<const Source>(
      new Source(standard_input ? "<stdin>" : path, std::move(buffer)));
}

// Found at the first question. Only errors need positions, so that one lock
// for all sources is no hindrance.
const std::vector<size_t>& Source::LineStarts() const {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    const absl::string_view all = text();
    for (size_t at = all.find('\n'); at != all.npos; at = all.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }
  return line_starts_;
}

size_t Source::LineIndex(size_t offset) const {
  const auto& starts = LineStarts();
  return std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin() - 1;
}

Position Source::PositionOf(size_t offset) const {
  offset = std::min(offset, text().size());
  const size_t line = LineIndex(offset);
  return {static_cast<int>(line + 1), static_cast<int>(offset - LineStarts()[line] + 1)};
}

absl::string_view Source::LineAt(size_t offset) const {
  offset = std::min(offset, text().size());
  const size_t begin = LineStarts()[LineIndex(offset)];
  absl::string_view line = text().substr(begin);
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace tessera::text
