// Files that are either there whole or not at all.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROCESS_OUTPUT_FILE_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROCESS_OUTPUT_FILE_H_

#include <functional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {

// A text that is made while it is written: hands each piece to its argument, in order.
using TextInPieces = std::function<void(absl::FunctionRef<void(absl::string_view piece)>)>;

// Writes `bytes` to a new file beside `path` and renames it to `path`; of a symbolic link, to what
// it leads to. On any error `path` stays as it was. SIGINT, SIGTERM and SIGHUP wait until the new
// file is renamed, or removed: what is not yet written then is given up.
absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes);
absl::Status WriteWholeFile(const std::string& path, const TextInPieces& text);

// Both are one file, as far as can be seen before they are written.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROCESS_OUTPUT_FILE_H_
