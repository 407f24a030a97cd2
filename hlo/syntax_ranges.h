// Where the parts of an instruction stand in the source. Blanks and comments of both kinds may
// stand between any two tokens; they belong to no part, and their content does not count.
//
//   // %c = f32[8]{0} add(/*a, b*/ f32[8] %x, %y#1 // last
//   //     ), /* the sum */ metadata={op_name="c"}
//   HeadParts head = FindHead(module, c);       // "f32[8]{0}" and "add"
//   FindOperands(module, c);                    // "%x" and "%y#1"
//   AttributeRangeWithSeparator(module, c, 0);                // ", /* the sum */ metadata={op_name=\"c\"}"
//
// All are for instructions that are in the source: not for implied ones.

#ifndef TESSERA_HLO_SYNTAX_RANGES_H_
#define TESSERA_HLO_SYNTAX_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

struct HeadParts {
  SourceRange shape;  // empty, in front of the opcode, when it was left out
  SourceRange opcode;
};
HeadParts FindHead(const Module& module, InstructionId id);

// One range for each operand: the name with its `%` and the `#1` after it, without a shape in
// front of it; an instruction that is written in place is one range as a whole.
std::vector<SourceRange> FindOperands(const Module& module, InstructionId id);

// From the comma in front of the attribute to the end of its value. What stands before the comma
// is no comment without an end, so that text may be put in there.
SourceRange AttributeRangeWithSeparator(const Module& module, InstructionId id, size_t attribute);

// The parts of [begin, end) of `text` that commas part, those within brackets aside; from the first
// token of each to its last.
std::vector<SourceRange> SplitAtCommas(absl::string_view text, uint32_t begin, uint32_t end);

// The first token at or after `offset`.
uint32_t NextToken(absl::string_view text, uint32_t offset);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SYNTAX_RANGES_H_
