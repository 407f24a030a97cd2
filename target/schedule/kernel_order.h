// Orders of kernels that keep little alive, as XLA's memory schedulers look for them.
//
//   LeastMemoryOrder(scope, homes, bytes);     // of the kernels that are ready, the one that frees most
//   DepthFirstOrder(scope, bytes, limit);      // depth first from the results, operands of most bytes first
//
// A kernel is ready when its operands are made. If it updates a value in place, all others that read
// the value must be done, too. Ties go to the order of the module. Cost: logarithmic in the kernels
// that are ready, for each read; of the second linear but for sorting. Tested by live_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_KERNEL_ORDER_H_
#define TESSERA_TARGET_SCHEDULE_KERNEL_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// Numbers of kernels. `bytes` by ValueId.
std::vector<uint32_t> LeastMemoryOrder(const ScopeKernels& scope, const Homes& homes,
                                       absl::Span<const int64_t> bytes);

// The limit of a sum over all paths below a kernel. XLA has the bytes of all instructions in front of one in the
// module: of two that are there, the later one is larger. Its graph has more instructions than there are kernels
// here. So kernels after a loop of many elements are at the end of the scale of readers.
enum class PathLimit { kOfAll, kOfWhatIsInFront };

// From the results at the end, operands first. Of several operands the one that more other kernels
// wait for comes first, then the one with more bytes below it.
std::vector<uint32_t> DepthFirstOrder(const ScopeKernels& scope, absl::Span<const int64_t> bytes,
                                      PathLimit limit);

// That of the module, the one of least memory and the depth-first one.
enum OrderKind : size_t { kOwn, kLeastMemory, kDepthFirst };
std::vector<std::vector<uint32_t>> MemoryOrders(const ScopeKernels& scope, const Homes& homes,
                                                absl::Span<const int64_t> bytes, PathLimit limit);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_KERNEL_ORDER_H_
