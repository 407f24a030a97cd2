#include "tessera/pipeline/verbs/costs/memory_limit.h"

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

struct Unit {
  absl::string_view name;
  double bytes;
};
constexpr Unit kUnits[] = {
    {"B", 1},     {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
    {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
};

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

absl::StatusOr<int64_t> ReadByteCount(absl::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  if (!absl::SimpleAtod(text.substr(0, end), &number)) {
    return text::ErrorAt(0, "expected a number and a unit, as in 16GiB");
  }
  const absl::string_view unit = absl::StripLeadingAsciiWhitespace(text.substr(end));
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    const double bytes = number * known.bytes;
    if (bytes < 0x1p62) return static_cast<int64_t>(bytes);
    return text::ErrorAt(0, "more bytes than 64 bits can count");
  }
  return text::ErrorAt(text.size() - unit.size(),
                       "expected a unit: B, kB, MB, GB, TB, KiB, MiB, GiB or TiB");
}

absl::StatusOr<std::optional<MemoryLimit>> ReadMemoryLimit(const Arguments& arguments) {
  if (arguments.Has("limit") && arguments.Has("hardware")) {
    return absl::InvalidArgumentError("--limit and --hardware are two limits; give one");
  }
  if (arguments.Has("hardware")) return OfHardware(arguments.Get("hardware"));
  if (!arguments.Has("limit")) return std::optional<MemoryLimit>();
  const std::string& said = arguments.Get("limit");
  const auto bytes = ReadByteCount(said);
  if (bytes.ok()) return std::optional<MemoryLimit>(MemoryLimit{*bytes, said, std::nullopt});
  return text::Located(bytes.status(), *text::Source::FromString("--limit", said));
}

}  // namespace tessera::pipeline
