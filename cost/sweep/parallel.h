// The same work for many items on all cores.
//
//   ForEachIndex(1000, NumCores(), [&](size_t k) { costs[k] = Evaluate(variants[k]); });
//
// Threads take the next item as they get free, so results must go to places of their own; the
// result does not depend on the number of threads. Threads that cannot be made, for want of memory
// or of leave, are done without. Tested by sweep_test.cc.

#ifndef TESSERA_COST_SWEEP_PARALLEL_H_
#define TESSERA_COST_SWEEP_PARALLEL_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"

namespace tessera::cost {

// The CPUs that this process may use, as its affinity and its control group (cpu_limit.h) leave
// them. At least 1.
int NumCores();
// `jobs`, or NumCores() for 0.
int NumThreads(int64_t jobs);

// Returns when all are done. What `work` throws on any thread is thrown again here, the first of
// several exceptions, once every thread has ended; items that nobody has begun are left out then.
void ForEachIndex(size_t count, int threads, absl::FunctionRef<void(size_t)> work);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SWEEP_PARALLEL_H_
