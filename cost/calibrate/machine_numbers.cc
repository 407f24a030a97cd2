#include "tessera/cost/calibrate/machine_numbers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace tessera::cost {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void Add(Message* message, const char* field, const std::string& name,
         std::vector<MachineNumber>* numbers) {
  const FieldDescriptor* of = message->GetDescriptor()->FindFieldByName(field);
  const auto* reflection = message->GetReflection();
  if (!reflection->HasField(*message, of) || !(reflection->GetDouble(*message, of) > 0)) return;
  numbers->push_back({absl::StrCat(name, ".", field),
                      [=] { return reflection->GetDouble(*message, of); },
                      [=](double value) { reflection->SetDouble(message, of, value); }});
}

std::string PeakName(const projection::Peak& peak) {
  return absl::StrCat("device.peak ", peak.dtype(), peak.precision().empty() ? "" : " ",
                      peak.precision());
}

}  // namespace

std::vector<MachineNumber> NumbersOf(projection::Topology* topology) {
  std::vector<MachineNumber> numbers;
  if (topology->has_device()) {
    projection::Device* device = topology->mutable_device();
    for (const char* field : {"launch_s", "hbm_bytes_per_s", "transcendental_per_s"}) {
      Add(device, field, "device", &numbers);
    }
    for (projection::Peak& peak : *device->mutable_peak()) {
      Add(&peak, "flops_per_s", PeakName(peak), &numbers);
    }
  }
  for (projection::PhysicalAxis& axis : *topology->mutable_axis()) {
    Add(&axis, "link_bytes_per_s", absl::StrCat("axis ", axis.name()), &numbers);
    Add(&axis, "alpha_s", absl::StrCat("axis ", axis.name()), &numbers);
  }
  for (projection::SwitchLevel& level : *topology->mutable_level()) {
    Add(&level, "device_bytes_per_s", absl::StrCat("level ", level.name()), &numbers);
    Add(&level, "alpha_s", absl::StrCat("level ", level.name()), &numbers);
  }
  return numbers;
}

}  // namespace tessera::cost
