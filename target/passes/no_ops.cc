// algsimp, as far as it removes what changes nothing: passes look at neighbours, and constraints of
// the user leave copies between them.
//
//   c = f32[8] copy(x)              ->  x in its place
//   r = f32[8] reshape(x: f32[8])   ->  x in its place; a convert to the same type likewise
//   r = reshape(reshape(x))         ->  reshape(x)

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/passes.h"

namespace tessera::target {
namespace {

constexpr Opcode kMayChangeNothing[] = {Opcode::kConvert, Opcode::kCopy, Opcode::kReshape};

bool ChangesNothing(const DeviceProgram& program, InstructionId id) {
  if (!absl::c_linear_search(kMayChangeNothing, program.opcode(id))) return false;
  return !program.IsPinned(id) &&
         program.shape(id).WithoutLayout() == program.shape(program.operand(id, 0)).WithoutLayout();
}

bool IsReshapedAgain(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kReshape && !program.IsPinned(id) &&
         program.opcode(program.operand(id, 0)) == Opcode::kReshape;
}

}  // namespace

absl::Status RemoveNoOps(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (IsReshapedAgain(program, id)) {
        const InstructionId behind = program.operand(id, 0);
        program.SetOperand(id, 0, program.operand(behind, 0));
        program.RemoveDead(behind);
      }
      if (!ChangesNothing(program, id)) continue;
      program.ReplaceUses(id, program.operand(id, 0));
      program.RemoveDead(id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
