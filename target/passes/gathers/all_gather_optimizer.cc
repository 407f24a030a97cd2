// all-gather-optimizer: an element-wise operation of two gathered arrays is done on the parts.
//
//   add(all-gather(a), all-gather(b))  ->  all-gather(add(a, b))
//
// Of a commutative operation; both all-gathers have one user, the same groups, and operands of one
// shape.

#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kAllGatherOptimizer[] = "all-gather-optimizer";

absl::StatusOr<bool> MayBeOne(Context& context, InstructionId id) {
  const DeviceProgram& program = context.program;
  if (!IsCommutative(program.opcode(id)) || program.IsPinned(id)) return false;
  const InstructionId left = program.operand(id, 0), right = program.operand(id, 1);
  for (const InstructionId side : {left, right}) {
    if (program.opcode(side) != Opcode::kAllGather || program.OnlyUser(side) == kNoId) return false;
    if (program.operands(side).size() != 1 || program.IsPinned(side)) return false;
  }
  if (program.module().shape_id(program.operand(left, 0)) !=
      program.module().shape_id(program.operand(right, 0))) {
    return false;
  }
  if (CollectiveDimension(program, left) != CollectiveDimension(program, right)) return false;
  TESSERA_ASSIGN_OR_RETURN(const GroupsId of_left, context.groups.Of(program.module(), left));
  TESSERA_ASSIGN_OR_RETURN(const GroupsId of_right, context.groups.Of(program.module(), right));
  return of_left == of_right && ModeOf(program, left) == ModeOf(program, right);
}

void GatherOnce(Context& context, InstructionId id) {
  DeviceProgram& program = context.program;
  const InstructionId left = program.operand(id, 0), right = program.operand(id, 1);
  const InstructionId part =
      program.Clone(id, {program.operand(left, 0), program.operand(right, 0)},
                    program.shape(program.operand(left, 0)));
  const InstructionId gathered = program.Clone(right, {part}, program.shape(id));
  RenewChannel(context, gathered);
  context.origins.Set(kAllGatherOptimizer, program, gathered, {left, right});
  program.ReplaceUses(id, gathered);
  program.RemoveDead(id);
}

}  // namespace

absl::Status OptimizeAllGathers(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    TESSERA_ASSIGN_OR_RETURN(const bool may, MayBeOne(context, id));
    if (may) GatherOnce(context, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
