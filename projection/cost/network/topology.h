// Machines, made from a preset.
//
//   absl::StatusOr<Topology> v5p = TopologyOf("tpu-v5p:4x4x8");
//
// A file has the text form of topology.proto (cost/network/machine.h). Numbers of presets are public ones; each preset says
// its source. No chip has a public latency, so presets have none, and times are of bandwidth only.
#ifndef TESSERA_PROJECTION_COST_NETWORK_TOPOLOGY_H_
#define TESSERA_PROJECTION_COST_NETWORK_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/cost/topology.pb.h"

namespace tessera::projection {

// "tpu-v3", "tpu-v4", ...
std::vector<std::string> PresetNames();

// NAME:SIZExSIZE.. of a torus, NAME or NAME:DEVICES of a switch, NAME:DEVICESxNODES of a cluster of
// them. An axis of a torus wraps where the machine has the links for it. 2-D generations have them
// when the axis has the full length of a pod, 3-D ones when it is a multiple of 4. kNotSupported
// for another name, kBadShape for another number of axes.
absl::StatusOr<Topology> TopologyOf(absl::string_view preset);

// The physical axes that an axis of a mesh lies on: numbers of Topology::axis, major to minor.
struct AxisPlace {
  std::vector<int> axes;
  int64_t stride = 1;  // of the innermost one: devices between neighbours
};
}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_TOPOLOGY_H_
