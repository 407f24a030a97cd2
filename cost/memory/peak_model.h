// The peak of one device's program on a target, asked again with something changed.
//
//   absl::StatusOr<target::Dataflow> flow = FlowForPeak(module, target);
//   const PeakModel model(*flow, target);
//   absl::StatusOr<ModelledPeak> as_it_is = model.Find({});
//   model.Find({.donated = {{0, 2}}})->peak;           // result 0 in array 2 of the arguments
//   model.Find({.without = {v}})->peak;                // v has no memory: it is computed anew
//
// The steps, from the module after the partitioner:
//
//   1. The passes in front of kernels change the module (PassesBeforeKernels() of target/pass_lists.h).
//   2. FlowForPeak() reads it as values (target/dataflow). On TPUs stacks of weights are narrowed in front of loops, and
//      logits widened in products. Each update of a constant gets a fill of its own.
//   3. The size of each array has the padding of the layout that pads least, or that its readers ask for
//      (target/layouts).
//   4. A rule (TPUs) or XLA's fusion (GPUs) says which values are kept in memory (target/fusion), and how long kernels
//      take (node_seconds.h).
//   5. Find() lays updates, results and donated arguments into one memory (schedule/homes.h). On TPUs some arguments and
//      weights are copied (schedule/copied_arguments.h, copied_weights.h).
//   6. The kernels get an order, and temporaries their lives (schedule/live_memory.h): one of three orders, latency
//      hiding, then the memory of results (GPUs) or VMEM (TPUs).
//   7. The peak is the arguments, the results that lie in none of them, and the most temporaries at once.
//
// Steps 1 to 4 are done once; Find() does the others for each change. Cost: linear, each time. Tested by
// peak_findings_test.cc. notes/memory.md has the rules of each step.

#ifndef TESSERA_COST_MEMORY_PEAK_MODEL_H_
#define TESSERA_COST_MEMORY_PEAK_MODEL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/cost/memory/node_seconds.h"
#include "tessera/layout/shape.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_by_kernels.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/pass.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/target/schedule/live_memory.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// (array of the result, array of the arguments)
using ArrayAliases = std::vector<std::pair<int, int>>;

struct PeakChange {
  ArrayAliases donated;                  // beside those of the header
  std::vector<target::ValueId> without;  // values that take no memory
};

struct PeakSize {
  int64_t arguments = 0;
  int64_t results = 0;  // with the pointers of a tuple
  int64_t aliased = 0;  // of the results, in the memory of arguments
  int64_t peak = 0;     // arguments included

  // Arguments, and results in memory of their own: no compiler needs less.
  int64_t standing() const { return arguments + results - aliased; }
  int64_t temporaries() const { return peak - standing(); }
};

struct ModelledPeak : PeakSize {
  target::LiveMemory live;
};

// The values after the target compiler's first changes. Errors as of target::FindDataflow(), and for CPUs.
absl::StatusOr<target::Dataflow> FlowForPeak(const hlo::Module& module,
                                             const target::Target& target);

// Those that the combiners fused, and those that they left.
target::FusedBefore KernelsBefore(const target::Context& context);

class PeakModel {
 public:
  // Both must outlive this. The chip is no CPU. `fusions` and `before`: as of target::KernelsOf().
  PeakModel(const target::Dataflow& flow, const target::Target& target,
            target::FusionMemory* fusions = nullptr, const target::FusedBefore* before = nullptr);

  // kOverflow; kBadDim for aliases of what is not there.
  absl::StatusOr<ModelledPeak> Find(const PeakChange& change) const;

  // Those of the header; errors as of Find().
  const absl::StatusOr<ArrayAliases>& aliases() const { return aliases_; }

  // With the padding of its layout.
  int64_t BytesOf(target::ValueId v) const { return bytes_[v]; }
  layout::Shape Laid(target::ValueId v) const;

  // Of a GPU: what each kernel writes, by computation.
  const target::FusedBefore& kernels() const { return kernels_; }

 private:
  target::MinorChoice ChoiceOf(const target::Value& value) const;
  absl::StatusOr<ModelledPeak> Borders(const ArrayAliases& aliases) const;
  target::Scheduling Rules() const;

  const target::Dataflow& flow_;
  const target::Chip& chip_;
  mutable target::ArraySizes sizes_;  // remembers shapes
  const target::LayoutPreferences preferences_;
  const absl::StatusOr<ArrayAliases> aliases_;
  std::vector<int64_t> bytes_, border_bytes_;  // by ValueId; by result
  NodeTimes times_;                            // by NodeId
  double copied_per_s_ = 0;                    // bytes, to the fast memory of a TPU
  target::FusedBefore kernels_;                // of a GPU
  target::KeptValues kept_;
};

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_PEAK_MODEL_H_
