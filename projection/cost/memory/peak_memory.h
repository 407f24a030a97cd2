// File: projection/cost/memory/peak_memory.h
//
// The memory that one device needs at its worst moment: the buffers of a whole module, by
// liveness.h.
//
//   absl::StatusOr<MemoryReport> r = PeakMemory(module, {});
//   r->profile.peak                  // bytes
//   NameOf(module, r->values[v])     // "dot.7", of value v of the profile: the array that it is
//
// An estimate: what a compiler's back end decides is not modelled (kNotModelled says what).
#ifndef TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_
#define TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

inline constexpr char kNotModelled[] =
    "not modelled: fusion, rematerialization, scheduling and copies of a back end, workspaces, "
    "staging of collectives, fragmentation, host offload, code, double buffers of nested loops";

struct MemoryOptions {
  LivenessOptions liveness;
  // Bytes that an instruction takes while it runs, such as those of messages.
  absl::flat_hash_map<hlo::InstructionId, int64_t> scratch;
  // By instruction: computed within those that read it, which are neither aliases nor in place. It
  // has no buffer, but operands that live until then. Empty: none is.
  std::vector<bool> fused;
};

// Array `leaf` of so many in the result of an instruction.
struct ArrayOf {
  hlo::InstructionId instruction = hlo::kNoId;
  size_t leaf = 0, leaves = 1;
};
// "dot.7", or "while.3{1}" for one of several.
std::string NameOf(const hlo::Module& module, const ArrayOf& array);

struct MemoryReport {
  MemoryProfile profile;
  std::vector<ArrayOf> values;  // of the profile: first the parameters, then one for each step
};

// In the module's own order if it is scheduled, else in post-order from the root. kOverflow.
absl::StatusOr<MemoryReport> PeakMemory(const hlo::Module& module, const MemoryOptions& options);
// Of a computation that an instruction runs: its parameters are its caller's, and take nothing.
absl::StatusOr<MemoryReport> PeakMemoryOf(const hlo::Module& module, hlo::ComputationId computation,
                                          const MemoryOptions& options);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_
