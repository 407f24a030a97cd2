#include "tessera/pipeline/command_line/process/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

absl::Status CannotRead(const std::string& path) {
  return absl::Status(absl::ErrnoToStatusCode(errno),
                      absl::StrCat(path, ": ", std::strerror(errno)));
}

// MAP_FAILED where it fails; null for no bytes.
void* Map(int descriptor, size_t size) {
  return size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return CannotRead(path);
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(descriptor);
    return absl::InvalidArgumentError(absl::StrCat(path, ": expected a regular file"));
  }
  const auto size = static_cast<size_t>(info.st_size);
  void* const begin = Map(descriptor, size);
  const absl::Status failure = CannotRead(path);
  close(descriptor);
  if (begin == MAP_FAILED) return failure;
  return std::unique_ptr<const MappedFile>(new MappedFile(begin, size));
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) munmap(begin_, size_);
}

}  // namespace tessera::pipeline
