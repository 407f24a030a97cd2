// Numbers of bytes as users say them.
//
//   ReadByteCount("16GiB")                    // 17179869184
//   ReadByteCount("17179869184")              // the same
//   ReadBytes(arguments, "min-bytes")         // of --min-bytes=1MB

#ifndef TESSERA_PIPELINE_COMMAND_LINE_BYTE_COUNT_H_
#define TESSERA_PIPELINE_COMMAND_LINE_BYTE_COUNT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// A whole number of bytes; or a number, which may have a fraction, and a unit: B, kB, MB, GB, TB or
// KiB, MiB, GiB, TiB. Errors have a place in the text.
absl::StatusOr<int64_t> ReadByteCount(absl::string_view text);

// The value of a flag. Errors show it.
absl::StatusOr<int64_t> ReadBytes(const Arguments& arguments, absl::string_view flag);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_BYTE_COUNT_H_
