// Files that are either there whole or not at all.

#ifndef TESSERA_PIPELINE_OUTPUT_FILE_H_
#define TESSERA_PIPELINE_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {

// Writes `bytes` to a new file beside `path` and renames it to `path`. On any error `path` stays as
// it was.
absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_OUTPUT_FILE_H_
