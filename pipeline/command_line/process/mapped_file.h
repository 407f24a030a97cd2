// The bytes of a file without reading it into memory.
//
//   auto file = MappedFile::Open("array.npy");
//   (*file)->bytes();          // as long as *file lives
//
// For files of any size. A file that becomes shorter meanwhile ends the process, as any mapping
// does. Tested by relayout_array_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROCESS_MAPPED_FILE_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROCESS_MAPPED_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {

class MappedFile {
 public:
  // Errors: no such file, no leave to read it, no regular file.
  static absl::StatusOr<std::unique_ptr<const MappedFile>> Open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  absl::string_view bytes() const { return {static_cast<const char*>(begin_), size_}; }

 private:
  MappedFile(void* begin, size_t size) : begin_(begin), size_(size) {}

  void* begin_;  // null for an empty file
  size_t size_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROCESS_MAPPED_FILE_H_
