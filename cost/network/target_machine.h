// The machine that a target is: devices, links, and how long a message takes beyond its bytes.
//
//   absl::StatusOr<Machine> m = MachineOf(*ParseTarget("tpu-v5e:4x4"));
//   CostOf(collective, *m).seconds;          // with 1 us for each hop, 0.82 of the link
//   LaunchSeconds(target)                    // 5 us, for each collective
//   UsableMemory(target)                     // 15.75 GiB on a TPU v5e: the limit of its compiler, not of its data sheet
//
// Links and peaks are those of the presets (projection/cost/network/topology.h). The reached
// bandwidth of a link and the time of a hop come from two profiles of v5e in How To Scale Your
// Model ("Sharded Matrices"). There 34 MB are gathered over four devices in 680 us, 131 kB in 8 us.
// GPUs: the launch of NCCL in XLA's model. Devices are numbered row-major over the axes of a torus,
// and host by host. Tested by collective_cost_test.cc.

#ifndef TESSERA_COST_NETWORK_TARGET_MACHINE_H_
#define TESSERA_COST_NETWORK_TARGET_MACHINE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/cost/network/machine.h"
#include "tessera/projection/cost/network/topology.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// InvalidArgument for a CPU, and for a chip without a preset.
absl::StatusOr<Machine> MachineOf(const target::Target& target);
absl::StatusOr<projection::Device> DeviceOf(const target::Target& target);

// Bytes that a program may take of a device (docs/reshards.md); 0 where it is not known: of a CPU.
int64_t UsableMemory(const target::Target& target);

// Of a collective, before its first byte moves: that of NCCL, and for TPUs, which have none, the same.
double LaunchSeconds(const target::Target& target);

}  // namespace tessera::cost

#endif  // TESSERA_COST_NETWORK_TARGET_MACHINE_H_
