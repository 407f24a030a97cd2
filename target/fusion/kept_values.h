// Which values of a program get memory of their own on a TPU, and which are computed anew in each reader.
//
//   KeptValues kept = FindKeptValues(flow, bytes);
//   kept.is_kept[v];          // false for an exponential that one reduction reads
//   kept.sources[v];          // what a reader of v really reads: {v}, or what v is computed of
//
// The compiler decides this by fusion; here it is a rule on each value, in the order of the module. Views never have
// memory. Operands of a loop have memory. An elementwise value or a slice that one kernel reads is part of that kernel.
// A value that is only widened has the readers of the wide one. With more readers a value is kept if it is smaller than
// its sources, saves a second product or reduction, or for two products soon. A kernel computes one product: others
// that are added to it have memory. If its sources stay as long anyway, a value has no memory when they are no larger,
// when read much later, or as a mask. So relus, silus and exponentials for two products have none, in all of seven
// probes. A float32 value that only products read, or products and sums of its rows or columns, has none either: each
// makes it on its way, and products narrow it. Nor has one that is computed of results of collectives: no kernel of a
// product writes it. The operands of a scatter are in memory, and so is an image that a convolution reads enlarged. The
// operand of a slice or a pad may have to be in memory (moved_reads.h): the levels of an associative scan. On v5p a
// softmax is kept for the products that read it. docs/memory.md has the measured error of the whole. For GPUs
// kept_by_kernels.h has the answer.
//
// Cost: linear in the operands; a value of more than kMaxSources sources is kept. Tested by kept_values_test.cc and
// //cost/memory:target_memory_test.

#ifndef TESSERA_TARGET_FUSION_KEPT_VALUES_H_
#define TESSERA_TARGET_FUSION_KEPT_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/target.h"

namespace tessera::target {

struct KeptValues {
  static constexpr size_t kMaxSources = 64;

  std::vector<bool> is_kept;       // by ValueId
  std::vector<ValueList> sources;  // likewise; kept values, each once
  // By NodeId: nodes of one kernel, which has several results, have the same number. Empty: each node
  // is a kernel of its own.
  std::vector<uint32_t> kernels;
  // Numbers of kernels, and nodes that each computes although another kernel writes what they make.
  absl::flat_hash_set<std::pair<uint32_t, NodeId>> recomputed;
  // Of a GPU, by NodeId: the dot that the kernel whose result it is computes; kNoId where it computes none.
  std::vector<hlo::InstructionId> products;
  // Of a GPU, by NodeId: of the kernel whose result it is, where XLA's cost model has a time for it; else nothing.
  std::vector<std::optional<double>> seconds;

  void Keep(ValueId v);
  // The sources of result `k` of the node; beyond kMaxSources they are no longer counted.
  void CollectSources(const Node& node, size_t k);
};

// `bytes` by ValueId. Of a TPU's chip.
KeptValues FindKeptValues(const Dataflow& flow, absl::Span<const int64_t> bytes,
                          const Chip& chip = {});

}  // namespace tessera::target

#endif  // TESSERA_TARGET_FUSION_KEPT_VALUES_H_
