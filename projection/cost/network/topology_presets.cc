// Presets. All numbers are of one device as JAX shows it: half a chip of v3 and of TPU7x, and two
// such devices share the links of their chip. Memory is what a program can have. docs/reshards.md has
// the numbers with their sources, and a test compares its tables with these. Numbers that were not
// found in public are left out.
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
#include "tessera/text/near_names.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr char kTpu[] =
    "How To Scale Your Model, reference tables: one-way links; cloud.google.com/tpu/docs: devices";
constexpr char kGpu[] = "vendor's public figures; NVLink halved to one direction";
constexpr char kCluster[] =
    "vendor's public figures; NVLink halved to one direction, and one 400 Gb/s adapter for each "
    "device";
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kTera = 1e12;

struct TorusRow {
  absl::string_view name;
  int axes;
  int64_t full;              // length at which an axis wraps; 0: at multiples of 4
  int devices;               // of a chip
  double link, link_inside;  // of a chip, one way; between its devices; 0: not known
  double memory, bandwidth;  // of a device, as are the peaks
  double bf16, s8, f8;       // 0: none
};
constexpr TorusRow kTori[] = {
    {"tpu-v3", 2, 32, 2, 1.0e11, 0, 15.48 * kGib, 4.5e11, 61.5 * kTera, 0, 0},
    {"tpu-v4", 3, 0, 1, 4.5e10, 0, 30.75 * kGib, 1.2e12, 275 * kTera, 275 * kTera, 0},
    {"tpu-v5e", 2, 16, 1, 4.5e10, 0, 15.75 * kGib, 8.19e11, 197 * kTera, 394 * kTera, 0},
    {"tpu-v5p", 3, 0, 1, 9.0e10, 0, 95.73 * kGib, 2.765e12, 459 * kTera, 918 * kTera, 0},
    {"tpu-v6e", 2, 16, 1, 9.0e10, 0, 31.24 * kGib, 1.638e12, 918 * kTera, 1836 * kTera, 0},
    {"tpu7x", 3, 0, 2, 9.0e10, 5.4e11, 94.74 * kGib, 3.69e12, 1153.5 * kTera, 0, 2307 * kTera},
};

// With an adapter for each device, the switches of the nodes are joined by a second one.
struct SwitchRow {
  absl::string_view name;
  int64_t devices;
  SwitchLevel::Kind kind;
  double link, adapter;  // 0: one node only
  double memory, bandwidth;
  double bf16, tf32, f32, s8, f8;  // dense; f32 without the units for products
};
constexpr SwitchRow kSwitches[] = {
    {"a100-sxm", 8, SwitchLevel::SWITCH, 3.0e11, 0, 85100068864.0, 2.039e12, 312 * kTera,
     156 * kTera, 19.5 * kTera, 624 * kTera, 0},
    {"h100-sxm", 8, SwitchLevel::REDUCING_SWITCH, 4.5e11, 0, 84942979072.0, 3.352e12, 989 * kTera,
     495 * kTera, 67 * kTera, 1979 * kTera, 1979 * kTera},
    {"h100-infiniband", 8, SwitchLevel::REDUCING_SWITCH, 4.5e11, 5.0e10, 84942979072.0, 3.352e12,
     989 * kTera, 495 * kTera, 67 * kTera, 1979 * kTera, 1979 * kTera},
    {"h200-sxm", 8, SwitchLevel::REDUCING_SWITCH, 4.5e11, 0, 141e9, 4.8e12, 989 * kTera,
     495 * kTera, 67 * kTera, 1979 * kTera, 1979 * kTera},
    {"b200", 8, SwitchLevel::REDUCING_SWITCH, 9.0e11, 0, 191514411008.0, 7.672e12, 2250 * kTera,
     1100 * kTera, 80 * kTera, 4500 * kTera, 4500 * kTera},
    {"gb200-nvl72", 72, SwitchLevel::REDUCING_SWITCH, 9.0e11, 0, 186e9, 7.928e12, 2500 * kTera,
     1250 * kTera, 90 * kTera, 5000 * kTera, 5000 * kTera},
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

void AddPeak(const char* dtype, double flops_per_s, Device* device, const char* precision = "") {
  if (flops_per_s == 0) return;
  Peak* peak = device->add_peak();
  peak->set_dtype(dtype);
  peak->set_flops_per_s(flops_per_s);
  if (*precision != '\0') peak->set_precision(precision);
}

void SetMemory(double bytes, double bytes_per_s, Device* device) {
  device->set_hbm_bytes(static_cast<int64_t>(bytes));
  device->set_hbm_bytes_per_s(bytes_per_s);
}

// A link that nobody has published is absent.
void AddAxis(std::string name, int64_t size, bool wrap, double link, Topology* t) {
  PhysicalAxis* axis = t->add_axis();
  axis->set_name(std::move(name));
  axis->set_size(size);
  axis->set_wrap(wrap);
  if (link > 0) axis->set_link_bytes_per_s(link);
}

absl::StatusOr<Topology> TorusOf(const TorusRow& row, const std::vector<int64_t>& sizes) {
  if (static_cast<int>(sizes.size()) != row.axes)
    return MakeError(ErrorCode::kBadShape,
                     absl::StrCat(row.name, " is a torus of ", row.axes, " axes: ", row.name, ":",
                                  row.axes == 2 ? "4x4" : "4x4x4"));
  Topology t;
  t.set_name(absl::StrCat(row.name, ":", absl::StrJoin(sizes, "x")));
  t.set_source(kTpu);
  for (int a = 0; a < row.axes; ++a) {
    const int64_t size = sizes[static_cast<size_t>(a)];
    AddAxis(std::string(1, static_cast<char>('X' + a)), size,
            row.full > 0 ? size == row.full : size % 4 == 0, row.link / row.devices, &t);
  }
  if (row.devices > 1) AddAxis("chip", row.devices, false, row.link_inside, &t);
  SetMemory(row.memory, row.bandwidth, t.mutable_device());
  AddPeak("bf16", row.bf16, t.mutable_device());
  AddPeak("s8", row.s8, t.mutable_device());
  AddPeak("f8", row.f8, t.mutable_device());
  return t;
}

void AddSwitch(const char* name, int64_t devices, SwitchLevel::Kind kind, double bytes_per_s,
               Topology* t) {
  SwitchLevel* level = t->add_level();
  level->set_name(name);
  level->set_devices(devices);
  level->set_kind(kind);
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
  t.set_source(has_nodes ? kCluster : kGpu);
  const int64_t in_node = sizes.empty() ? row.devices : sizes[0];
  AddSwitch("nvlink", in_node, row.kind, row.link, &t);
  if (sizes.size() == 2) {
    AddSwitch("infiniband", in_node * sizes[1], SwitchLevel::SWITCH, row.adapter, &t);
  }
  Device* device = t.mutable_device();
  SetMemory(row.memory, row.bandwidth, device);
  AddPeak("bf16", row.bf16, device);
  AddPeak("f16", row.bf16, device);
  AddPeak("f32", row.tf32, device);
  AddPeak("f32", row.f32, device, "highest");
  AddPeak("s8", row.s8, device);
  AddPeak("f8", row.f8, device);
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
  const std::vector<std::string> names = PresetNames();
  const std::vector<absl::string_view> views(names.begin(), names.end());
  return MakeError(
      ErrorCode::kNotSupported,
      absl::StrCat("no preset '", parts.first, "'", text::DidYouMean(parts.first, views),
                   "; there are ", absl::StrJoin(names, ", ")));
}

}  // namespace tessera::projection
