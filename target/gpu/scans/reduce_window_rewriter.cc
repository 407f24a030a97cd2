// reduce-window-rewriter: sums of all elements up to each one are made in rows of 16.
//
// Windows of a vector become those of a matrix with one column. The rows are those of simplify/prefix_rows.h.
//
// Cost: linear in the program. Tested by scans_test.cc.

#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/prefix_rows.h"
#include "tessera/target/simplify/prefix_windows.h"

namespace tessera::target {
namespace {

constexpr PrefixRows kRows = {16, /*vectors_are_matrices=*/true};

// kNoId: it stays.
InstructionId Rewritten(DeviceProgram& program, InstructionId window) {
  const InstructionId replacement = PrefixInRows(program, window, kRows);
  if (replacement != kNoId) return replacement;
  const bool is_vector = program.shape(window).is_array() && program.shape(window).rank() == 1;
  const bool is_prefix =
      PrefixOf(program, window).has_value() && OnlyStep(program, window).has_value();
  return is_vector && is_prefix ? VectorAsMatrix(program, window) : kNoId;
}

}  // namespace

absl::Status RewriteReduceWindows(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kReduceWindow || program.IsPinned(id)) continue;
    const InstructionId replacement = Rewritten(program, id);
    if (replacement == kNoId) continue;
    program.ReplaceUses(id, replacement);
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
