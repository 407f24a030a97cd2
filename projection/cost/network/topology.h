// Machines, read from a file or made from a preset.
//
//   absl::StatusOr<Topology> t = ParseTopology("name: \"lab\" axis { name: \"X\" size: 4 }");
//   absl::StatusOr<Topology> v5p = TopologyOf("tpu-v5p:4x4x8");
//
// The file is the text form of topology.proto. Numbers of presets are public ones; each preset says
// its source. No chip has a public latency, so presets have none, and times are of bandwidth only.
#ifndef TESSERA_PROJECTION_COST_NETWORK_TOPOLOGY_H_
#define TESSERA_PROJECTION_COST_NETWORK_TOPOLOGY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/cost/topology.pb.h"
#include "tessera/sharding/mesh.h"

namespace tessera::projection {

// kParse with line and column for what is no text of a Topology, an unknown field among them;
// kBadShape for sizes below 1, kBadDim for a mesh axis on a physical axis that is not there.
absl::StatusOr<Topology> ParseTopology(absl::string_view text);

// "tpu-v3", "tpu-v4", ...
std::vector<std::string> PresetNames();

// NAME:SIZExSIZE.. of a torus, NAME or NAME:DEVICES of a switch, NAME:DEVICESxNODES of a cluster of
// them. An axis of a torus wraps where the
// machine has the links for it: 2-D generations when the axis has the full length of a pod, 3-D
// ones when it is a multiple of 4. kNotSupported for another name, kBadShape for another number of
// axes.
absl::StatusOr<Topology> TopologyOf(absl::string_view preset);

// The physical axes that each axis of `mesh` lies on: numbers of Topology::axis, major to minor.
// Said by mesh_axis, or laid out in order: a mesh axis takes whole physical axes, or an exact part
// of one, until its size is reached. kNotSupported where that does not come out even.
struct AxisPlace {
  std::vector<int> axes;
  int64_t stride = 1;  // of the innermost one: devices between neighbours
};
absl::StatusOr<std::vector<AxisPlace>> PlaceMesh(const Topology& topology,
                                                 const sharding::Mesh& mesh);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_TOPOLOGY_H_
