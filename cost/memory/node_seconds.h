// How long the nodes of a program take on a GPU or TPU, roughly: enough to order them, and to say how long an array
// waits.
//
//   const NodeTimes times = TimesOf(flow, kept, bytes, target);
//   times.seconds[n];  // of a kernel: what it reads and writes, or its products; of a collective: its bytes
//
// Cost: linear. Tested by node_seconds_test.cc.

#ifndef TESSERA_COST_MEMORY_NODE_SECONDS_H_
#define TESSERA_COST_MEMORY_NODE_SECONDS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/target.h"

namespace tessera::cost {

struct NodeTimes {
  std::vector<double> seconds;
  std::vector<bool> own_kernels;  // all-reduces of a GPU that need no NCCL
  std::vector<bool> hides;        // of a TPU: collectives that the compiler may start and end apart
  std::vector<double> computing;  // of a TPU: the products by themselves, without what they read
  // Of a TPU: as its compiler takes them where it gives arrays a place in VMEM. A collective reads and writes its arrays.
  std::vector<double> touching;
};

// By NodeId. `bytes` by ValueId.
NodeTimes TimesOf(const target::Dataflow& flow, const target::KeptValues& kept,
                  absl::Span<const int64_t> bytes, const target::Target& target);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_NODE_SECONDS_H_
