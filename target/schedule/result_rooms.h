// Which arrays of a GPU lie in the memory of results, while these are not there yet.
//
//   GuestsOfResults(flow, scopes, orders, homes, bytes);
//
//   p      aliased with the result      its memory: p .. a
//   a = f(p)                            free
//   b = g(a)                            b needs none of its own if it is no larger than p
//   r = h(b)                            r
//
// XLA gives places to results first. A temporary takes the place of a result, and of the argument that it is aliased
// with, for a time in which neither is needed (target/buffers/shared_memory.h has the rule). So does a temporary of a
// loop's body, for its time in it, and so does what a loop carries: the initial value, the element of each trip and the
// result are one array. Cost: temporaries times results. Tested by result_rooms_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_RESULT_ROOMS_H_
#define TESSERA_TARGET_SCHEDULE_RESULT_ROOMS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency/latency_graph.h"

namespace tessera::target {

// Homes. `scopes` and `orders`, of their kernels, by ScopeId; `bytes` by ValueId.
std::vector<ValueId> GuestsOfResults(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                                     absl::Span<const std::vector<Step>> orders, const Homes& homes,
                                     absl::Span<const int64_t> bytes);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_RESULT_ROOMS_H_
