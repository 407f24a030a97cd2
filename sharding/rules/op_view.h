// OpView: the input of a rule. One op as propagation sees it: values are arrays or tokens, tuples
// are taken apart, and of the ops around it only the few facts that some rule asks for.
//
//   // %d = f32[8,6] dot(%x, %y), ...
//   const ShapeList operands = {&x_shape, &y_shape}, results = {&d_shape};
//   OpView op;
//   op.opcode = Opcode::kDot;
//   op.module = &module;
//   op.instruction = d;                       // where the attributes are read
//   op.operands = operands;                   // views of the lists, which must outlive it
//   op.results = results;
//
// An op need not be an instruction. The import of HLO changes some instructions:
//
//   instruction                            ops
//   convert to PRED                        kCompare(x, zero), no attributes
//   broadcast, dimensions not ascending    kTranspose and kBroadcast, `dimensions` set for each
//   large splat constant                   kConstant, and kBroadcast with empty `dimensions`
//   convolution of mixed element types     kConvert in front of the narrower operand
//   rng-bit-generator without state result two results, the first one of the state's shape
//   custom call of a sharding annotation   see PointwiseRule in rules.h
//
// HloOpView (hlo_op_view.h) fills one from an instruction alone.

#ifndef TESSERA_SHARDING_RULES_OP_VIEW_H_
#define TESSERA_SHARDING_RULES_OP_VIEW_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"

namespace tessera::sharding::rules {

using ShapeList = absl::InlinedVector<const layout::Shape*, 6>;

// The facts about neighbouring ops that a rule may read. They look through tuple and
// get-tuple-element, but not through copies, converts, barriers, calls or loops.
struct Neighbours {
  // kConcatenate: see JoinsSlices() and JoinsOneValue() below.
  bool joins_slices = false;
  bool joins_one_value = false;
  // kDynamicUpdateSlice: a constant defines each start index (true if there is none).
  bool constant_indices = false;
  // Custom call X64Combine: an rng-bit-generator reads the result directly.
  bool feeds_rng = false;

  // As a number below 16.
  int code() const {
    return joins_slices + 2 * constant_indices + 4 * feeds_rng + 8 * joins_one_value;
  }
};

struct OpView {
  hlo::Opcode opcode = hlo::Opcode::kParameter;
  // Attributes are read here; may be missing for opcodes without attributes.
  const hlo::Module* module = nullptr;
  hlo::InstructionId instruction = hlo::kNoId;
  // The shapes must outlive the view.
  absl::Span<const layout::Shape* const> operands;
  absl::Span<const layout::Shape* const> results;
  // Taken instead of the instruction's attribute of that name.
  const hlo::IntList* dimensions = nullptr;
  Neighbours neighbours;
  // Whether a rule attached to the instruction is meant for this op; false for what the import made
  // on the way to it, such as the transpose in front of a broadcast.
  bool takes_attached_rule = true;
};

// The operand of a concatenate as JoinsSlices() and JoinsOneValue() want it.
struct JoinedOperand {
  bool is_slice = false;     // an HLO slice defines the operand (dynamic-slice is none)
  const void* of = nullptr;  // identity of the value that is sliced, or of the operand itself
};

// True if each operand is a slice (of anything), or if at least one is and all are made of the same
// value. Concatenating them then moves data between neighbours only.
bool JoinsSlices(absl::Span<const JoinedOperand> operands);

// True if all operands are made of the same value, sliced or not.
bool JoinsOneValue(absl::Span<const JoinedOperand> operands);

// Which neighbours an op with that opcode and custom-call target ("" otherwise) asks for; nothing
// else in Neighbours needs to be filled.
bool AsksForSlices(hlo::Opcode opcode);
bool AsksForConstantIndices(hlo::Opcode opcode);
bool AsksForRng(hlo::Opcode opcode, absl::string_view custom_call_target);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_OP_VIEW_H_
