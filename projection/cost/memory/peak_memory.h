// The memory that one device needs at its worst moment: the buffers of a whole module, by
// liveness.h.
//
//   absl::StatusOr<MemoryReport> r = PeakMemory(module, {});
//   r->profile.peak                  // bytes
//   NameOf(module, r->values[v])     // "dot.7", of value v of the profile: the array that it is
//
// An estimate. Not modelled: which fusions a back end makes (but for MemoryOptions::fused),
// rematerialization, its schedule and copies, workspaces, fragmentation, host offload, code, double
// buffers of nested loops.
#ifndef TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_
#define TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

struct MemoryOptions {
  LivenessOptions liveness;
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
  MemoryProfile profile;        // without constants
  std::vector<ArrayOf> values;  // of the profile: first the parameters, then one for each step
  int64_t constants = 0;        // bytes of those that are arrays, of all computations, each once
};

// Of the entry. In the module's own order if it is scheduled, else in post-order, without dead
// code; what has side effects is alive. What a loop carries is in place (aliased_outputs.h).
// kOverflow; kBadDim for aliases of what is not there.
absl::StatusOr<MemoryReport> PeakMemory(const hlo::Module& module, const MemoryOptions& options);

// Of the computation that needs most of those that `caller` (a loop, a call, a conditional) runs.
// Arrays that the caller holds have 0 bytes: parameters, and of a call or branch the outputs. None
// if nothing is needed in there.
absl::StatusOr<std::optional<MemoryReport>> PeakMemoryInside(const hlo::Module& module,
                                                             hlo::InstructionId caller,
                                                             const MemoryOptions& options);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_PEAK_MEMORY_H_
