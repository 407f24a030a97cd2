// Presets. TPU figures are those of the reference tables of the public book "How To Scale Your
// Model" (its later edition for TPU7x), but for the memory of v4 and v5p and its bandwidth, which
// are those of cloud.google.com/tpu/docs. GPU links are the vendors' public figures, halved to one
// direction; the memory of an H100 is that of its data sheet. Numbers that were not found in public
// are left out. docs/costs.md has them all with their sources.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr char kBook[] = "How To Scale Your Model, reference tables; one-way links";
constexpr char kVendor[] = "vendor's public figure of NVLink, halved to one direction";
constexpr char kCluster[] =
    "vendor's public figures: NVLink, halved to one direction, and one 400 Gb/s adapter for each "
    "device";
constexpr double kGb = 1e9;
constexpr double kGib = 1024.0 * 1024 * 1024;

struct TorusRow {
  absl::string_view name;
  int axes;
  int64_t full;  // length at which an axis wraps; 0: at multiples of 4
  double hbm_bytes, hbm_bytes_per_s, bf16, int8, link;  // 0: not known
};
constexpr TorusRow kTori[] = {
    {"tpu-v3", 2, 32, 32 * kGb, 9.0e11, 1.4e14, 1.4e14, 1.0e11},
    {"tpu-v4", 3, 0, 32 * kGib, 1.2e12, 2.75e14, 2.75e14, 4.5e10},
    {"tpu-v5e", 2, 16, 16 * kGb, 8.2e11, 1.97e14, 3.94e14, 4.5e10},
    {"tpu-v5p", 3, 0, 95 * kGib, 2.765e12, 4.59e14, 9.18e14, 9.0e10},
    {"tpu-v6e", 2, 16, 32 * kGb, 1.6e12, 9.2e14, 1.84e15, 9.0e10},
    {"tpu7x", 3, 0, 192 * kGb, 7.4e12, 2.30e15, 0, 9.0e10},
};

// With an adapter for each device, the switches of the nodes are joined by a second one.
struct SwitchRow {
  absl::string_view name;
  int64_t devices;
  double hbm_bytes;  // 0: not known
  double link;
  double adapter;  // 0: one node only
};
constexpr SwitchRow kSwitches[] = {
    {"a100-sxm", 8, 0, 3.0e11, 0},
    {"h100-sxm", 8, 80 * kGb, 4.5e11, 0},
    {"h100-infiniband", 8, 80 * kGb, 4.5e11, 5.0e10},
    {"b200", 8, 0, 9.0e11, 0},
    {"gb200-nvl72", 72, 0, 9.0e11, 0},
};

absl::StatusOr<std::vector<int64_t>> SizesOf(absl::string_view text) {
  std::vector<int64_t> sizes;
  if (text.empty()) return sizes;
  for (absl::string_view part : absl::StrSplit(text, 'x')) {
    int64_t size;
    if (!absl::SimpleAtoi(part, &size) || size < 1)
      return MakeError(ErrorCode::kBadShape,
                       absl::StrCat("sizes '", text, "', expected such as 4x4x8"));
    sizes.push_back(size);
  }
  return sizes;
}

void AddPeak(const char* dtype, double flops_per_s, Device* device) {
  Peak* peak = device->add_peak();
  peak->set_dtype(dtype);
  peak->set_flops_per_s(flops_per_s);
}

absl::StatusOr<Topology> TorusOf(const TorusRow& row, const std::vector<int64_t>& sizes) {
  if (static_cast<int>(sizes.size()) != row.axes)
    return MakeError(ErrorCode::kBadShape,
                     absl::StrCat(row.name, " is a torus of ", row.axes, " axes: ", row.name, ":",
                                  row.axes == 2 ? "4x4" : "4x4x4"));
  Topology t;
  t.set_name(absl::StrCat(row.name, "-", absl::StrJoin(sizes, "x")));
  t.set_source(kBook);
  for (int a = 0; a < row.axes; ++a) {
    const int64_t size = sizes[static_cast<size_t>(a)];
    PhysicalAxis* axis = t.add_axis();
    axis->set_name(std::string(1, static_cast<char>('X' + a)));
    axis->set_size(size);
    axis->set_wrap(row.full > 0 ? size == row.full : size % 4 == 0);
    axis->set_link_bytes_per_s(row.link);
  }
  t.mutable_device()->set_hbm_bytes(static_cast<int64_t>(row.hbm_bytes));
  t.mutable_device()->set_hbm_bytes_per_s(row.hbm_bytes_per_s);
  AddPeak("bf16", row.bf16, t.mutable_device());
  if (row.int8 > 0) AddPeak("s8", row.int8, t.mutable_device());
  return t;
}

void AddSwitch(const char* name, int64_t devices, double bytes_per_s, Topology* t) {
  SwitchLevel* level = t->add_level();
  level->set_name(name);
  level->set_devices(devices);
  level->set_kind(SwitchLevel::SWITCH);
  level->set_device_bytes_per_s(bytes_per_s);
}

absl::StatusOr<Topology> SwitchOf(const SwitchRow& row, const std::vector<int64_t>& sizes) {
  const bool has_nodes = row.adapter > 0;
  if (sizes.size() > (has_nodes ? 2 : 1)) {
    return MakeError(
        ErrorCode::kBadShape,
        absl::StrCat(row.name, has_nodes ? " is nodes of devices, such as 8x4" : " is one switch"));
  }
  Topology t;
  t.set_name(std::string(row.name));
  t.set_source(has_nodes ? kCluster : kVendor);
  const int64_t in_node = sizes.empty() ? row.devices : sizes[0];
  AddSwitch("nvlink", in_node, row.link, &t);
  if (sizes.size() == 2) AddSwitch("infiniband", in_node * sizes[1], row.adapter, &t);
  if (row.hbm_bytes > 0) t.mutable_device()->set_hbm_bytes(static_cast<int64_t>(row.hbm_bytes));
  return t;
}

}  // namespace

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const TorusRow& row : kTori) names.emplace_back(row.name);
  for (const SwitchRow& row : kSwitches) names.emplace_back(row.name);
  return names;
}

absl::StatusOr<Topology> TopologyOf(absl::string_view preset) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(preset, absl::MaxSplits(':', 1));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, SizesOf(parts.second));
  for (const TorusRow& row : kTori) {
    if (row.name == parts.first) return TorusOf(row, sizes);
  }
  for (const SwitchRow& row : kSwitches) {
    if (row.name == parts.first) return SwitchOf(row, sizes);
  }
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat("no preset '", parts.first, "'; there are ",
                                absl::StrJoin(PresetNames(), ", ")));
}

}  // namespace tessera::projection
