// The bytes that a device has, as the user says it.
//
//   ReadMemoryLimit(arguments)                // of --memory-limit; none without it

#ifndef TESSERA_PIPELINE_VERBS_COSTS_MEMORY_LIMIT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_MEMORY_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

struct MemoryLimit {
  int64_t bytes = 0;
  std::string said;  // "16GiB", "tpu-v5e"
  // How the hardware keeps arrays (layout/tile_rules.h); none for one without tiles, and for --memory-limit.
  std::optional<layout::TileRules> tiles;
};

Flag MemoryLimitFlag();
// --hardware, an old name.
Flag OldHardwareFlag();

absl::StatusOr<std::optional<MemoryLimit>> ReadMemoryLimit(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_MEMORY_LIMIT_H_
