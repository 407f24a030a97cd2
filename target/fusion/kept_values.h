// Which values of a program get memory of their own on a TPU, and which are computed anew in each reader.
//
//   KeptValues kept = FindKeptValues(flow, bytes);
//   kept.is_kept[v];          // false for an exponential that one reduction reads
//   kept.sources[v];          // what a reader of v really reads: {v}, or what v is computed of
//
// The compiler decides this by fusion; here it is a rule on each value, in the order of the module. The first row that
// fits decides. A value that is only widened has the readers of the wide one.
//
//   a view, a constant, an iota                              no memory
//   a product or reduction with one elementwise reader       none: the reader's kernel computes it. Memory if that
//     of as many elements                                    adds another product, as a kernel computes one
//   any other product, reduction, loop or collective         memory
//   an operand of a loop, a scatter or another operation     memory
//     that fuses no operand (ComputesOperand() of readers.h)
//   cell by cell, for the update of one weight alone         none: it is part of that kernel (update_kernels.h)
//   a broadcast                                              none, but for an image that a convolution reads enlarged;
//                                                            a scatter writes one number that it starts from itself
//   a slice or pad with gaps, and its operand                memory, as levels of an associative scan (moved_reads.h)
//   read inside a loop, and made in front of it              memory
//   rows that the kernel of their exponentials computes      none
//   computed of a product or reduction without memory        memory, but for one reader as above
//   with one reader                                          none: it is part of that kernel
//   float32 or of results of collectives alone, read by      none: each kernel makes it on its way
//     products, and by reductions beside them
//   a softmax for two products, on v5p                       memory
//   a slice for a few readers                                none
//   smaller than its sources                                 memory; where its sources stay as long anyway, none for a
//                                                            mask and for a value that is read much later
//   other values                                             memory for two products soon, if its sources do not stay
//
// So relus, silus and exponentials for two products have none, in all of seven probes. docs/memory.md has the measured
// error of the whole. For GPUs kept_by_kernels.h has the answer.
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
  // Of a TPU, by NodeId: what updates a weight and its moments (update_kernels.h). Empty: no such kernels.
  std::vector<NodeId> updates;
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
