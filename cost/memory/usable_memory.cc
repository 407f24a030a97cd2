#include "tessera/cost/memory/usable_memory.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::cost {
namespace {

// Chips that the presets call otherwise.
constexpr std::pair<absl::string_view, absl::string_view> kPresets[] = {
    {"a100", "a100-sxm"}, {"h100", "h100-sxm"}, {"gb200", "gb200-nvl72"}};

std::string PresetOf(const target::Chip& chip) {
  for (const auto& [name, preset] : kPresets) {
    if (chip.name == name) return std::string(preset);
  }
  std::string preset(chip.name);
  for (int side = 0; side < chip.torus_sides; ++side)
    absl::StrAppend(&preset, side == 0 ? ":1" : "x1");
  return preset;
}

}  // namespace

int64_t UsableMemory(const target::Chip& chip) {
  const auto topology = projection::TopologyOf(PresetOf(chip));
  return topology.ok() ? topology->device().hbm_bytes() : 0;
}

}  // namespace tessera::cost
