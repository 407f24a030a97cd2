// all-reduce-simplifier: a gather, scatter or sum of one device's array alone is that array.
//
//   all-gather(x) of the shape of x      ->  x
//   all-reduce(x), groups of one device  ->  x

#include "tessera/target/passes/passes.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

absl::StatusOr<bool> DoesNothing(Context& context, InstructionId id) {
  const DeviceProgram& program = context.program;
  if (program.operands(id).size() != 1) return false;
  const bool keeps_shape =
      program.shape(id).WithoutLayout() == program.shape(program.operand(id, 0)).WithoutLayout();
  switch (program.opcode(id)) {
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
      return keeps_shape;
    case Opcode::kAllReduce: {
      TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
      return context.groups.SizeOf(groups) == 1;
    }
    default:
      return false;
  }
}

}  // namespace

absl::Status SimplifyAllReduces(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsCollective(program.opcode(id)) || program.IsPinned(id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const bool does_nothing, DoesNothing(context, id));
    if (!does_nothing) continue;
    program.ReplaceUses(id, program.operand(id, 0));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
