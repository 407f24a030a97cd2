// The machine that a program runs on, and where its devices stand there.
//
//   absl::StatusOr<Machine> m = ReadMachine("tpu-v5e:4x4", mesh, 16);
//   absl::StatusOr<Machine> n = ReadMachine("lab.textproto", mesh, 16);
//   m->places[5];        // {1, 1}: the device with id 5, on the axes of the torus
//
// A file is the text form of projection/cost/topology.proto; a name without dot and slash is a
// preset (projection/cost/network/topology.h). On a torus devices are numbered row-major over the
// axes, unless mesh_axis says which axis of the mesh lies on which axes of the machine. On switches
// the neighbours by number share the innermost one. A torus with a level is several equal ones,
// numbered one after the other, which that level joins: the slices of TPUs. Tested by
// collective_cost_test.cc.

#ifndef TESSERA_COST_NETWORK_MACHINE_H_
#define TESSERA_COST_NETWORK_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/core/point.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/sharding/mesh.h"

namespace tessera::cost {

struct Machine {
  projection::Topology topology;
  std::vector<projection::ZPoint> places;  // of each device, on the axes; empty for switches

  bool is_torus() const { return topology.axis_size() > 0; }
  // Of one torus.
  int64_t torus_devices() const;
};

// Errors have the file, line and caret of the mistake: a missing field, axes that the mesh does not
// have, or axes of another size than in the program or its mesh. Those of a preset begin with
// --target=NAME.
absl::StatusOr<Machine> ReadMachine(const std::string& name,
                                    const std::optional<sharding::Mesh>& mesh, int64_t devices);

}  // namespace tessera::cost

#endif  // TESSERA_COST_NETWORK_MACHINE_H_
