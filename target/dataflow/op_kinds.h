// The kind of an operation for compilers that make kernels.
//
//   KindOf(Opcode::kTanh)        // kElementwise
//   IsMessage(Opcode::kTanh)     // false
//
// One table (op_kinds.cc).

#ifndef TESSERA_TARGET_DATAFLOW_OP_KINDS_H_
#define TESSERA_TARGET_DATAFLOW_OP_KINDS_H_

#include <cstdint>

#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"

namespace tessera::target {

enum class OpKind : uint8_t {
  kHeavy,        // has a kernel of its own: products, reductions, loops, collectives, ..
  kElementwise,  // a cell from the cells at the same place
  kMove,         // a cell from one cell elsewhere: slices, pads, concatenations, broadcasts
  kView,         // the same cells under other indices: no buffer
  kFree,         // made of nothing: constants, iotas, the number of the device
};

OpKind KindOf(hlo::Opcode opcode);
// hlo::IsContraction: a dot of any kind, or a convolution.
bool IsProduct(hlo::Opcode opcode);
bool IsReduction(hlo::Opcode opcode);
// Of TPUs: a reduce-window whose result has as many elements as its operand. The pass `rows-in-windows` makes it of a
// reduction of rows: each element of the result is that of its whole row.
bool IsRowWindow(const hlo::Module& module, hlo::InstructionId id);
// Such a window of so many elements that a product does not compute whole rows.
bool IsOfLongRows(const hlo::Module& module, hlo::InstructionId id);
// Moves data between devices.
bool IsMessage(hlo::Opcode opcode);
// A reverse of no dimension: passes put it where XLA copies (target/tpu/copies/copies.h).
bool StandsForCopy(const hlo::Module& module, hlo::InstructionId id);
// Of TPUs: whether the operand of the slice or pad `id` has to be in memory; `maker` computes it. A slice with a stride
// and a pad with interior padding always need that. A plain slice needs it if `maker` is elementwise and has other
// readers (`shared`); without them XLA slices the operands of `maker`. Probes of a few operations show this.
bool MovesFromMemory(const hlo::Module& module, hlo::InstructionId id, hlo::Opcode maker,
                     bool shared);
// Of TPUs: whether `id` writes what it moves: a copy, a pad with interior padding, and a slice with a stride in the last
// two dimensions, those of tiles.
bool MovesToMemory(const hlo::Module& module, hlo::InstructionId id);
// Of TPUs: `id` computes its operand within its own kernel, if that is its operand number `operand`.
bool FusesOperand(const hlo::Module& module, hlo::InstructionId id, uint32_t operand);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_OP_KINDS_H_
