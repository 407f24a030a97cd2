#include "tessera/pipeline/verbs/costs/memory_limit.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/pipeline/command_line/old_names.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr int64_t kLeastPlainLimit =
    1000;  // bytes; a smaller number lacks its unit, unless it is 0

std::optional<layout::TileRules> TilesOf(const std::string& hardware) {
  if (!absl::StartsWith(hardware, "tpu")) return std::nullopt;
  auto rules = layout::NamedTileRules("tpu");
  return rules.ok() ? std::optional<layout::TileRules>(*std::move(rules)) : std::nullopt;
}

// A preset that says how much memory a device has. Its shape does not matter.
absl::StatusOr<MemoryLimit> OfHardware(const std::string& name) {
  std::vector<std::string> known;
  for (const std::string& preset : projection::PresetNames()) {
    for (const char* sizes : {"", ":1x1", ":1x1x1"}) {
      const auto topology = projection::TopologyOf(preset + sizes);
      if (!topology.ok() || topology->device().hbm_bytes() == 0) continue;
      if (preset == name) return MemoryLimit{topology->device().hbm_bytes(), name, TilesOf(name)};
      known.push_back(preset);
      break;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--hardware=", name, ": expected one of ", absl::StrJoin(known, ", ")));
}

}  // namespace

Flag MemoryLimitFlag() {
  return {"memory-limit", "BYTES", "memory of a device, such as 16GiB; default: that of the target",
          "", false};
}

Flag OldHardwareFlag() {
  return {"hardware", "PRESET", "--target=CHIP:TOPOLOGY", "", false, kOldNames};
}

absl::StatusOr<std::optional<MemoryLimit>> ReadMemoryLimit(const Arguments& arguments) {
  if (arguments.Has("memory-limit") && arguments.Has("hardware")) {
    return absl::InvalidArgumentError("--memory-limit and --hardware are two limits; give one");
  }
  if (arguments.Has("hardware")) return OfHardware(arguments.Get("hardware"));
  if (!arguments.Has("memory-limit")) return std::optional<MemoryLimit>();
  TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, ReadBytes(arguments, "memory-limit"));
  const std::string& said = arguments.Get("memory-limit");
  const bool is_plain = absl::c_all_of(said, absl::ascii_isdigit);
  if (is_plain && bytes > 0 && bytes < kLeastPlainLimit) {
    return absl::InvalidArgumentError(absl::StrCat("--memory-limit=", said, " is a limit of ", said,
                                                   " bytes; write its unit, as in ", said,
                                                   "GiB, or ", said, "B"));
  }
  return std::optional<MemoryLimit>(
      MemoryLimit{bytes, is_plain ? layout::FormatBytes(bytes) : said, std::nullopt});
}

}  // namespace tessera::pipeline
