// docs/reshards.md says of the presets what the code says.
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::projection {
namespace {

// The machine of one chip, or one node; of a cluster two nodes.
Topology Smallest(const std::string& preset) {
  for (const char* sizes : {":1x1", ":1x1x1", ":8x2", ":8"}) {
    const auto topology = TopologyOf(preset + sizes);
    if (topology.ok()) return *topology;
  }
  ADD_FAILURE() << preset;
  return {};
}

std::string GbPerSecond(double bytes_per_s) {
  return absl::StrFormat("%g GB/s", bytes_per_s / 1e9);
}

std::string Gib(int64_t bytes) { return absl::StrFormat("%.2f GiB", bytes / 1073741824.0); }

std::string Links(const Topology& t) {
  if (t.level_size() > 0) {
    std::string text = GbPerSecond(t.level(0).device_bytes_per_s());
    if (t.level(0).kind() == SwitchLevel::REDUCING_SWITCH) absl::StrAppend(&text, ", adds");
    if (t.level_size() == 1) return text;
    return absl::StrCat(text, "; ", GbPerSecond(t.level(1).device_bytes_per_s()), " between nodes");
  }
  const PhysicalAxis& last = t.axis(t.axis_size() - 1);
  std::string text = GbPerSecond(t.axis(0).link_bytes_per_s());
  if (last.name() != "chip") return text;
  return absl::StrCat(text, "; in a chip ",
                      last.link_bytes_per_s() > 0 ? GbPerSecond(last.link_bytes_per_s()) : "?");
}

std::string Peaks(const Device& device) {
  return absl::StrJoin(device.peak(), ", ", [](std::string* out, const Peak& peak) {
    absl::StrAppend(out, peak.dtype(), peak.precision().empty() ? "" : " ", peak.precision(), " ",
                    absl::StrFormat("%g", peak.flops_per_s() / 1e12));
  });
}

std::string Row(const std::string& preset, const Topology& t) {
  const Device& device = t.device();
  return absl::StrCat("| `", preset, "` | ", Links(t), " | ", Gib(device.hbm_bytes()), " | ",
                      GbPerSecond(device.hbm_bytes_per_s()), " | ", Peaks(device), " |");
}

constexpr char kHeader[] =
    "| preset | links, one way | memory | its bandwidth | Tflop/s, dense | source |\n"
    "|---|---|---|---|---|---|\n";

TEST(PresetsPageTest, TheTableIsThatOfTheCode) {
  std::ifstream in("docs/reshards.md");
  std::stringstream page;
  page << in.rdbuf();
  const std::string text = page.str();
  ASSERT_TRUE(absl::StrContains(text, kHeader));
  const std::string table = text.substr(text.find(kHeader) + sizeof(kHeader) - 1);
  const std::vector<std::string> rows = absl::StrSplit(table.substr(0, table.find("\n\n")), '\n');
  EXPECT_EQ(rows.size(), PresetNames().size());
  for (const std::string& preset : PresetNames()) {
    const std::string row = Row(preset, Smallest(preset));
    EXPECT_TRUE(absl::StrContains(text, "\n" + row)) << row;
  }
}

}  // namespace
}  // namespace tessera::projection
