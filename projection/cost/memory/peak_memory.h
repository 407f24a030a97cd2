// File: projection/cost/memory/peak_memory.h
//
// The memory that one device needs at its worst moment: the buffers of a whole module, by
// liveness.h.
//
//   absl::StatusOr<MemoryReport> r = PeakMemory(module, {});
//   r->profile.peak                  // bytes
//   r->at_peak[0]                    // the largest buffer alive there: name, bytes, padding
//
// An estimate: what a compiler's back end decides is not modelled (kNotModelled says what).
#ifndef TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_
#define TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/demand/module_needs.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

inline constexpr char kNotModelled[] =
    "not modelled: fusion, rematerialization, scheduling and copies of a back end, workspaces, "
    "staging of collectives, fragmentation, host offload, code, double buffers of nested loops";

struct MemoryOptions {
  LivenessOptions liveness;
  int64_t alignment = 1;         // of allocations, a power of two
  std::vector<int64_t> donated;  // parameters of the entry, by number
  // Bytes that an instruction takes while it runs, such as those of messages.
  absl::flat_hash_map<hlo::InstructionId, int64_t> scratch;
  // Computed within those that read them, which are neither aliases nor in place: no buffer, but
  // operands that live until then.
  absl::flat_hash_set<hlo::InstructionId> fused;
  // Values count with the largest tile of any device. Null: the module is one device's already.
  const DeviceGrid* grid = nullptr;
  ShardingOf sharding_of;
};

struct BufferAtPeak {
  std::string name;
  int64_t bytes = 0, padding = 0;  // padding: what no element of the array fills
};

struct MemoryReport {
  MemoryProfile profile;
  std::vector<int64_t> padding;       // of each buffer of the profile
  std::string peak_at;                // the instruction
  std::vector<BufferAtPeak> at_peak;  // alive there, largest first
  int64_t lower_bound = 0;            // the largest operands and results of one instruction
  std::vector<std::string> whole;     // counted whole, for want of a sharding
};

// In the module's own order if it is scheduled, else in post-order from the root. kOverflow.
absl::StatusOr<MemoryReport> PeakMemory(const hlo::Module& module, const MemoryOptions& options);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_
