// A line for each instruction that has none: elements that an operand takes (`x#1`), and
// instructions that are written in place of an operand.
//
//   absl::StatusOr<hlo::Module> all = WithAllLines(module);
//
//   ROOT %a = f32[8] add(%x#1, f32[8] tanh(%y))        // in the text of `module`
//
//   %x_1 = f32[8]{0} get-tuple-element(%x), index=1    // in that of the result
//   %tanh.anon = f32[8]{0} tanh(%y)
//   ROOT %a = f32[8] add(%x_1, %tanh.anon)

#ifndef TESSERA_PIPELINE_PASSES_LINES_IMPLIED_LINES_H_
#define TESSERA_PIPELINE_PASSES_LINES_IMPLIED_LINES_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// The text is that of one instruction, without a computation around it.
bool IsSingleInstruction(const hlo::Module& module);

// `module` must be as it was parsed. The lines stand in front of the one with the first use; all
// other bytes stay. A single instruction is printed as a module.
absl::StatusOr<hlo::Module> WithAllLines(const hlo::Module& module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_IMPLIED_LINES_H_
