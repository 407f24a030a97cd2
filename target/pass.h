// A pass over the program of one device, and lists of passes.
//
//   Context context(std::move(module), target, flags);
//   TESSERA_RETURN_IF_ERROR(RunPasses(GpuPasses(), &context));
//   hlo::Module final = std::move(context.program).Release();
//
// A pass has XLA's name, or one of ours that ReferenceName() of pass_lists.h translates. It stands in the pipeline
// of XLA that runs it. Nothing runs but what stands in the list.

#ifndef TESSERA_TARGET_PASS_H_
#define TESSERA_TARGET_PASS_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/program/device_groups.h"
#include "tessera/target/program/device_program.h"
#include "tessera/target/program/provenance.h"
#include "tessera/target/target.h"
#include "tessera/target/xla_flags.h"

namespace tessera::target {

class FusionMemory;  // priority_fusion/fusion_memory.h

struct Context {
  Context(hlo::Module module, Target target, const XlaFlags& flags);
  Context(Context&&) = default;
  Context(const Context&) = default;

  const Target target;
  const XlaFlags flags;
  // A channel that no collective has.
  int64_t NewChannel();

  DeviceProgram program;
  DeviceGroups groups;
  Provenance origins;
  // The kernels of each computation that the combiners of GPUs have fused. The first combiner fuses, the
  // others see what those before them made; RunPasses() clears them where another pipeline begins.
  absl::flat_hash_map<ComputationId, KernelGraph> kernels;
  // The results of those kernels. They stay: what later passes add is not fused again.
  FusedBefore results;
  // Computations that the combiners of GPUs left as they are without asking for their kernels.
  absl::flat_hash_set<ComputationId> unfused;
  // Computations that were fused before, for this target; may be null.
  FusionMemory* fusions = nullptr;

 private:
  int64_t last_channel_ = 0;  // 0: not looked for
};

struct Pass {
  absl::string_view pipeline;  // of XLA: simplification, collective-optimizations, ..
  absl::string_view name;
  absl::string_view summary;  // what it does, in one line
  absl::Status (*run)(Context&) = nullptr;
};

// Watches a run; `place` is that of the pass in the list.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  // An error ends the run.
  virtual absl::Status AfterPass(const Pass& pass, size_t place, const Context& context) = 0;
};

// The passes in their order, up to the first error. Errors carry the offset of an instruction in
// the text of the module (text::ErrorOffset).
absl::Status RunPasses(absl::Span<const Pass> passes, Context* context,
                       PassObserver* observer = nullptr);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASS_H_
