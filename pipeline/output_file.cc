#include "tessera/pipeline/output_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

absl::Status Failure(const std::string& path) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

bool WriteAll(int descriptor, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(written);
  }
  return true;
}

// mkstemp makes files for the owner alone; a result gets what the old file had, or what the umask
// leaves.
mode_t ModeFor(const std::string& path) {
  struct stat old;
  if (stat(path.c_str(), &old) == 0) return old.st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

bool IsDevice(const std::string& path) {
  struct stat old;
  return stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode);
}

absl::Status WriteDevice(const std::string& path, absl::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return Failure(path);
  const bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && ok ? absl::OkStatus() : Failure(path);
}

}  // namespace

absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes) {
  if (IsDevice(path)) return WriteDevice(path, bytes);
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return Failure(path);
  bool ok = WriteAll(descriptor, bytes) && fchmod(descriptor, ModeFor(path)) == 0;
  ok = close(descriptor) == 0 && ok;
  if (ok && std::rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const absl::Status failure = Failure(path);
  unlink(temporary.c_str());
  return failure;
}

}  // namespace tessera::pipeline
