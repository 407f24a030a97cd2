#include "tessera/pipeline/command_line/process/output_file.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

absl::Status Failure(const std::string& path) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

// Keeps signals that end the program waiting as long as it lives.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigemptyset(&held_);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held_, signal);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  bool AnyWaits() const {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
           sigismember(&waiting, SIGHUP) == 1;
  }

 private:
  sigset_t held_, before_;
};

// Piece by piece, so that a signal need not wait for all of it.
bool WriteAll(int descriptor, absl::string_view bytes, const SignalsHeld& signals) {
  constexpr size_t kPiece = size_t{1} << 22;
  while (!bytes.empty()) {
    if (signals.AnyWaits()) {
      errno = EINTR;
      return false;
    }
    const ssize_t written = write(descriptor, bytes.data(), std::min(bytes.size(), kPiece));
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

absl::Status WriteDevice(const std::string& path, const TextInPieces& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return Failure(path);
  bool ok = true;
  text([&](absl::string_view bytes) {
    ok = ok && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  });
  return std::fclose(file) == 0 && ok ? absl::OkStatus() : Failure(path);
}

// Where a chain of symbolic links ends, be there a file or not. A chain that is too long for the
// system stays as it is and fails later.
std::string FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(target, error); ++i) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
    if (error) return path;
  }
  return target.string();
}

}  // namespace

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(FollowLinks(path), error);
  };
  return whole(a) == whole(b);
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes) {
  return WriteWholeFile(path, [bytes](auto write) { write(bytes); });
}

absl::Status WriteWholeFile(const std::string& link, const TextInPieces& text) {
  const std::string path = FollowLinks(link);
  if (IsDevice(path)) return WriteDevice(path, text);
  const SignalsHeld signals;
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return Failure(path);
  bool ok = true;
  text([&](absl::string_view bytes) { ok = ok && WriteAll(descriptor, bytes, signals); });
  ok = ok && fchmod(descriptor, ModeFor(path)) == 0;
  ok = close(descriptor) == 0 && ok;
  if (ok && std::rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const absl::Status failure = Failure(path);
  unlink(temporary.c_str());
  return failure;
}

}  // namespace tessera::pipeline
