#include "tessera/cost/network/target_machine.h"

#include <iterator>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using target::Platform;
using target::Target;

constexpr double kHopSeconds = 1e-6;
constexpr double kNetworkSeconds = 1e-5;  // of a message between slices; not measured
constexpr double kReachedOfLink = 0.82;
constexpr double kCollectiveLaunchSeconds = 5e-6;

// Chips, their presets, and the bytes a second of the network adapter of a device.
struct GpuRow {
  absl::string_view chip, preset;
  double adapter;
};
constexpr GpuRow kGpus[] = {
    {"a100", "a100-sxm", 2.5e10}, {"h100", "h100-infiniband", 5e10}, {"h200", "h200-sxm", 5e10},
    {"b200", "b200", 5e10},       {"gb200", "gb200-nvl72", 5e10},
};

absl::Status NoMachine(const Target& target) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--target=", target.ToString(), ": no machine is known for it; expected a GPU or a TPU"));
}

void AddLevel(const projection::SwitchLevel& like, const char* name, int64_t devices,
              double bytes_per_s, projection::Topology* t) {
  projection::SwitchLevel* level = t->add_level();
  *level = like;
  level->set_name(name);
  level->set_devices(devices);
  level->set_device_bytes_per_s(bytes_per_s);
}

absl::StatusOr<projection::Topology> GpuTopology(const Target& target) {
  const auto row = absl::c_find_if(
      kGpus, [&](const GpuRow& candidate) { return candidate.chip == target.chip->name; });
  if (row == std::end(kGpus)) return NoMachine(target);
  TESSERA_ASSIGN_OR_RETURN(const auto preset, projection::TopologyOf(std::string(row->preset)));
  projection::Topology t = preset;
  t.clear_level();
  const auto& sides = target.topology;  // domains, hosts, devices of a host
  const int64_t hosts = sides.size() == 3 ? sides[1] : 1;
  const int64_t inside = sides.empty() ? 1 : sides.back();
  const int64_t joined = target.chip->hosts == target::Hosts::kJoined ? hosts * inside : inside;
  const projection::SwitchLevel& nvlink = preset.level(0);
  AddLevel(nvlink, "nvlink", joined, nvlink.device_bytes_per_s(), &t);
  if (target.num_devices() > joined) {
    projection::SwitchLevel plain = nvlink;
    plain.set_kind(projection::SwitchLevel::SWITCH);
    AddLevel(plain, "network", target.num_devices(), row->adapter, &t);
  }
  t.set_name(target.ToString());
  return t;
}

// Bytes a second of a chip's share of its host's network adapters.
struct TpuRow {
  absl::string_view chip;
  double adapter;
};
constexpr TpuRow kTpus[] = {
    {"tpu-v4", 2.5e10 / 4},
    {"tpu-v5e", 2.5e10 / 8},
    {"tpu-v5p", 2.5e10 / 4},
    {"tpu-v6e", 1e11 / 8},
};

// The data-center network between slices; without a speed for a chip that has no row.
void JoinSlices(const Target& target, projection::Topology* t) {
  if (target.slices == 1) return;
  projection::SwitchLevel* level = t->add_level();
  level->set_name("data-center network");
  level->set_devices(target.num_devices());
  level->set_alpha_s(kNetworkSeconds);
  for (const TpuRow& row : kTpus) {
    if (row.chip == target.chip->name) level->set_device_bytes_per_s(row.adapter);
  }
}

absl::StatusOr<projection::Topology> TpuTopology(const Target& target) {
  auto t = projection::TopologyOf(
      absl::StrCat(target.chip->name, ":", absl::StrJoin(target.topology, "x")));
  if (!t.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--target=", target.ToString(), ": ", t.status().message()));
  }
  for (projection::PhysicalAxis& axis : *t->mutable_axis()) {
    axis.set_alpha_s(kHopSeconds);
    axis.set_link_bytes_per_s(axis.link_bytes_per_s() * kReachedOfLink);
  }
  JoinSlices(target, &*t);
  return t;
}

absl::StatusOr<projection::Topology> TopologyOfTarget(const Target& target) {
  if (target.chip->platform == Platform::kTpu) return TpuTopology(target);
  if (target.chip->platform == Platform::kGpu) return GpuTopology(target);
  return NoMachine(target);
}

void PlaceRowMajor(int64_t devices, Machine* machine) {
  const int axes = machine->topology.axis_size();
  for (int64_t device = 0; device < devices; ++device) {
    projection::ZPoint place = projection::ZPoint::Filled(axes, 0);
    int64_t rest = device;
    for (int a = axes - 1; a >= 0; --a) {
      place[a] = rest % machine->topology.axis(a).size();
      rest /= machine->topology.axis(a).size();
    }
    machine->places.push_back(place);
  }
}

}  // namespace

absl::StatusOr<Machine> MachineOf(const Target& target) {
  Machine machine;
  TESSERA_ASSIGN_OR_RETURN(machine.topology, TopologyOfTarget(target));
  if (machine.is_torus()) PlaceRowMajor(target.num_devices(), &machine);
  return machine;
}

absl::StatusOr<projection::Device> DeviceOf(const Target& target) {
  TESSERA_ASSIGN_OR_RETURN(const projection::Topology topology, TopologyOfTarget(target));
  return topology.device();
}

int64_t UsableMemory(const target::Target& target) {
  const auto device = DeviceOf(target);
  return device.ok() ? device->hbm_bytes() : 0;
}

double LaunchSeconds(const Target& target) {
  return target.chip->platform == Platform::kCpu ? 0 : kCollectiveLaunchSeconds;
}

}  // namespace tessera::cost
