// How long a kernel takes by XLA's cost model for GPUs: what priority fusion weighs.
//
//   const KernelCost cost = CostOf(expression, operands, facts, results);
//   cost.ticks;                       // alone, in quarters of a nanosecond
//   TicksFused(kernel, producer, consumer);   // of the two as one kernel
//   AddToCost(producer's, 3, fused, operands, facts, results, &cost);   // kernel 3 was fused
//
// Bytes read and written, and operations, at the rates of roofline.h. An array that element-wise ops share
// is read once. A transpose to another most minor dimension, unless it goes by tiles, makes each read of an
// element one of 64 bytes. Cost: linear in the expression; of two kernels, and of ops that are added, in those of
// the producer, and a few instructions for each operand.
// Tested by priority_fusion_test.cc, and by kernel_time_test.cc beside costs from the start.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_KERNEL_TIME_H_
#define TESSERA_TARGET_PRIORITY_FUSION_KERNEL_TIME_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/target/priority_fusion/model/expression.h"
#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/priority_fusion/model/roofline.h"

namespace tessera::target {

struct OperandUse {
  uint32_t kernel = 0;
  uint32_t slot = 0;
  double bytes = 0;        // of the whole operand
  double width = 4;        // bytes of an element
  double utilization = 0;  // how often each element is read
  double reads = 1;        // operands that it is, of an instruction alone
  double read_bytes = 0;   // bytes * utilization, as a whole number
  double ticks = 0;        // of one of its reads, by the kernel alone
};

// An op of a kernel, or what it reads.
struct KernelSlot {
  // The ops that read it through element-wise ops only, or itself where others read it, as slots.
  absl::InlinedVector<uint32_t, 4> roots;
  double use = 0, emitted = 0;     // by ops that are not element-wise: its elements, and its code
  bool is_shown = false;           // the result is its, after ops that pass it on cell by cell
  bool is_passed = false;          // some op passes it on to such ops
  bool is_read_by_others = false;  // one that does not, maybe after ops that do
};

// A transpose by tiles that the result shows.
struct ShownTranspose {
  const OpFacts* facts = nullptr;
  bool is_read_by_others = false;
};

struct KernelCost {
  double ticks = 0;
  double blocks = 1;
  bool is_scattered = false;  // reads are, as it is launched
  double read_ticks = 0;      // of all operands, each read once
  double write_ticks = 0;
  double flops = 0;
  double ir_size = 0;               // instructions that XLA emits
  const OpFacts* result = nullptr;  // of the facts given
  const OpFacts* tiled = nullptr;   // the op by tiles that decides how it is made (tiles.h)
  bool is_reduction = false;        // this is a reduction
  bool moves_minor = false;         // an op of it does
  bool scatters_reads = false;      // a transpose reads all over the memory
  std::optional<uint32_t> passes;   // the kernel whose result it passes on, cell by cell
  std::vector<OperandUse> operands;
  std::vector<uint32_t> kernels;  // of the operands
  std::vector<KernelSlot> slots;  // the first one is the result's
  absl::InlinedVector<ShownTranspose, 1> transposes;

  // The place of its use, or that after the last one.
  size_t PlaceOf(uint32_t kernel) const;
};

// `operands`: the kernels that it reads. `facts` by op; `results`: the op of each kernel's result.
KernelCost CostOf(const Expression& expression, const OperandPlaces& operands,
                  absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results);

// Makes it that of the kernel after the fusion of `kernel`, as CostOf() of `fused`. It had several ops.
void AddToCost(const Expression& producer, uint32_t kernel, const Expression& fused,
               const OperandPlaces& operands, absl::Span<const OpFacts> facts,
               absl::Span<const uint32_t> results, KernelCost* cost);

// The op by tiles that decides how both are made as one kernel. `kernel` is the producer's, which the
// consumer reads.
const OpFacts* TiledOfFused(uint32_t kernel, const KernelCost& producer,
                            const KernelCost& consumer);

double TicksFused(uint32_t kernel, const KernelCost& producer, const KernelCost& consumer);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_KERNEL_TIME_H_
