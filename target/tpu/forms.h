// Whether a TPU waits for a collective, as a rule: most that were seen in finished programs.
//
//   IsSynchronous(*ParseTarget("tpu-v5e:4x4"), {Opcode::kCollectivePermute, 4096, true});   // false
//
// Of 152 finished programs, all 1047 all-reduces and all-to-alls were synchronous, and 771 of 881 permutes
// asynchronous. On v5e, permutes were synchronous on 32 devices and more, asynchronous on 16 and fewer
// (probes on eight topologies). All-gathers were synchronous on v5p and v6e; on v5e, in loops, those of more
// than a mebibyte were asynchronous (82 of 105), smaller ones not (39 of 53). Between slices hosts send and
// receive, beside kernels.

#ifndef TESSERA_TARGET_TPU_FORMS_H_
#define TESSERA_TARGET_TPU_FORMS_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/opcode.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct CollectiveSize {
  hlo::Opcode opcode;
  int64_t bytes = 0;  // of the result
  bool in_loop = false;
  bool spans_slices = false;
};

// Whether kernels of a TPU may run beside a collective, in a loop or not. Of no other machine. The schedule decides
// whether they do.
bool MayHide(const Target& target, const CollectiveSize& collective);

// Nothing for other machines, and where neither form is usual.
std::optional<bool> IsSynchronous(const Target& target, const CollectiveSize& collective);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_FORMS_H_
