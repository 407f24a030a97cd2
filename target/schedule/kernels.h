// The kernels of each scope: what runs, what each reads and makes.
//
//   std::vector<ScopeKernels> scopes = FindKernels(flow, kept);
//   scopes[0].kernels[k].reads       // values of this scope that have memory
//
// A kernel is a node with a result that is kept, a loop or a conditional. What a loop's body reads
// from outside, the loop reads. Cost: linear. Tested by live_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_KERNELS_H_
#define TESSERA_TARGET_SCHEDULE_KERNELS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/schedule/homes.h"

namespace tessera::target {

// What a product of a GPU reads as a bitcast, an instruction of its own.
struct ViewOfRead {
  ValueId view = kNone, read = kNone;
};

struct Kernel {
  NodeId node = kNone;
  absl::InlinedVector<ViewOfRead, 2> views;
  absl::InlinedVector<ValueId, 4> reads;  // each once; of this scope
  absl::InlinedVector<ValueId, 2> outer;  // likewise, of those around it
  absl::InlinedVector<ValueId, 2> makes;
  absl::InlinedVector<ValueId, 2> consumes;  // of `reads`: initial values that a loop carries on
  absl::InlinedVector<ValueId, 2> reuses;    // of `reads`: read cell by cell
  absl::InlinedVector<ValueId, 2>
      alone;  // of `makes`: the kernel of a GPU goes on to compute with it
  absl::InlinedVector<ValueId, 2> follows;  // of this scope, made before it by a barrier
};

struct ScopeKernels {
  std::vector<Kernel> kernels;    // in the order of the module
  std::vector<ValueId> at_start;  // parameters of a loop's body
  std::vector<ValueId> at_end;    // what roots are read from, each once
};

std::vector<ScopeKernels> FindKernels(const Dataflow& flow, const KeptValues& kept);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_KERNELS_H_
