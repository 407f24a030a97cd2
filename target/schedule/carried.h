// What a loop carries and has in one buffer: the value that it starts from, that of a round, the next one and the last.
//
//   const std::vector<ValueId> buffers = CarriedBuffers(flow, scopes, orders, homes, bytes);
//   buffers[home];    // the home that stands for all of a buffer; kNone: no loop carries it so
//
// A round must not read the old value after the kernel that makes the new one: there the compiler has a copy. What is
// updated in place, as a stack, is none of these. What the loop starts from is in the buffer if nobody needs it
// afterwards. Cost: linear. Tested by fast_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_CARRIED_H_
#define TESSERA_TARGET_SCHEDULE_CARRIED_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// `orders`, of the kernels of `scopes`, by ScopeId. `bytes` by ValueId.
std::vector<ValueId> CarriedBuffers(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                                    absl::Span<const std::vector<uint32_t>> orders,
                                    const Homes& homes, absl::Span<const int64_t> bytes);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_CARRIED_H_
