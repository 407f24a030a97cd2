// Which operands a kernel of a GPU may not write over, as it needs more of them than the cell that it writes.
//
//   q = p / sum(p)      one kernel: each cell of q needs a row of p, so q lies beside p
//   q = p / 2           q may lie over p
//
// Cost: linear in the nodes that the kernel computes. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_SCATTERED_READS_H_
#define TESSERA_TARGET_SCHEDULE_SCATTERED_READS_H_

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// Takes them out of `reuses`, and adds results that the kernel goes on to compute with to `alone`. What it reduces as
// its first result it has read by the time that it writes.
void DropScattered(const Dataflow& flow, const KeptValues& kept, Kernel* kernel);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_SCATTERED_READS_H_
