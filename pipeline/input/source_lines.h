// Lines of the user's program, which a module names by file and number.
//
//   TESSERA_ASSIGN_OR_RETURN(SourceLines lines, SourceLines::Below("/home/me/project"));
//   lines.At("/home/me/project/model.py:41");    // "h = h @ w", without blanks around it
//   lines.At("model.py:41");                     // the same: relative names begin at the folder
//   lines.At("/etc/passwd:1");                   // "": not below the folder
//
// A module may come from anybody, and its answers go to others. So only regular files below the
// folder are opened, links resolved, and none of more than kMaxBytes. Each is read once.
//
// Cost: an answer from a file that was read is one look into a table. Tested by
// source_lines_test.cc.

#ifndef TESSERA_PIPELINE_INPUT_SOURCE_LINES_H_
#define TESSERA_PIPELINE_INPUT_SOURCE_LINES_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

class SourceLines {
 public:
  static constexpr size_t kMaxBytes = size_t{4} << 20;

  // InvalidArgument if there is no such folder.
  static absl::StatusOr<SourceLines> Below(const std::string& folder);

  // The line of a place, FILE:LINE; "" where no such file may be read or has so many lines.
  std::string At(absl::string_view place);

 private:
  struct File {
    std::string text;
    std::vector<absl::string_view> lines;
  };

  explicit SourceLines(std::filesystem::path root) : root_(std::move(root)) {}
  const File& Named(const std::string& name);
  const File& Read(const std::filesystem::path& path);

  std::filesystem::path root_;  // canonical
  absl::flat_hash_map<std::string, const File*> by_name_;
  absl::flat_hash_map<std::string, std::unique_ptr<const File>> by_path_;  // canonical
};

// --source-root=FOLDER.
Flag SourceRootFlag();
// Null without the flag: then no file is opened.
absl::StatusOr<std::unique_ptr<SourceLines>> ReadSourceRoot(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_SOURCE_LINES_H_
