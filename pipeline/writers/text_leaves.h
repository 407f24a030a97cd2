// The values that an instruction reads, leaf by leaf, followed through the tuples of the text.
//
//   // %t = tuple(%a, %b)   %w = while(%t)   %x = get-tuple-element(%w), index=1   %y = negate(%x)
//   std::vector<TextLeaf> leaves;
//   AddOperandLeaves(module, w, 0, &leaves);   // a, held by operand 0 of t; b, by operand 1 of t
//   AddOperandLeaves(module, y, 0, &leaves);   // w, held by operand 0 of y
//
// Calls that the pass consumes are looked through: the value is their source.

#ifndef TESSERA_PIPELINE_WRITERS_TEXT_LEAVES_H_
#define TESSERA_PIPELINE_WRITERS_TEXT_LEAVES_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"

namespace tessera::pipeline::writers {

// An operand as the text has it. `instruction` is kNoId for the result of the computation.
struct NamedUse {
  hlo::InstructionId instruction = hlo::kNoId;
  uint32_t operand = 0;
  bool exists = true;  // false: the leaf lies within a tuple that no line takes apart
};

struct TextLeaf {
  hlo::InstructionId source = hlo::kNoId;  // the instruction that makes the value
  NamedUse holder;                         // who names it
  // Where the holder's operand is a tuple that no line takes apart: the leaf's path in it.
  layout::LeafPath within;
  layout::LeafPath path;  // of the leaf in what `source` makes
};

void AddOperandLeaves(const hlo::Module& module, hlo::InstructionId user, uint32_t operand,
                      std::vector<TextLeaf>* leaves);
// Those of the computation's result.
void AddResultLeaves(const hlo::Module& module, hlo::InstructionId root,
                     std::vector<TextLeaf>* leaves);
// The instruction itself, or what makes the value that it names.
hlo::InstructionId SourceOf(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_TEXT_LEAVES_H_
