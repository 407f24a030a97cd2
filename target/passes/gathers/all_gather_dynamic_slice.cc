// all-gather-dynamic-slice-simplifier: of what is gathered each device takes back what it gave.
//
//   g = f32[32] all-gather(x: f32[4]);  dynamic-slice(g, partition * 4): f32[4]   ->  x
//
// The all-gather has one user, the dynamic-slice, maybe through one reshape; one dimension is
// sliced, the gathered one, and device j of every group takes part j.
//
// XLA's partitioner subtracts the start of the whole array from offsets of a slice that a dynamic-update-slice writes.
// So where another operation reads that part as well, XLA has two slices, and the all-gather two users; here it is one.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/passes/sums/split_match.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

// As it is, or reshaped.
bool IsUpdate(const DeviceProgram& program, InstructionId id, InstructionId user) {
  if (program.opcode(user) == Opcode::kDynamicUpdateSlice) return program.operand(user, 1) == id;
  const InstructionId next = program.OnlyUser(user);
  return program.opcode(user) == Opcode::kReshape && next != kNoId && IsUpdate(program, user, next);
}

bool IsTwoInXla(const DeviceProgram& program, InstructionId slice) {
  const std::vector<InstructionId> users = program.Users(slice);
  return users.size() > 1 &&
         absl::c_any_of(users, [&](InstructionId user) { return IsUpdate(program, slice, user); });
}

}  // namespace

absl::Status SimplifySlicedAllGathers(Context& context) {
  DeviceProgram& program = context.program;
  DeviceOffsets offsets(&program, context.groups.num_devices());
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kAllGather || program.operands(id).size() != 1) continue;
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
    const std::optional<KeptPart> split = FindKeptPart(context, &offsets, id, groups);
    if (!split.has_value()) continue;
    if (split->dimension != CollectiveDimension(program, id)) continue;
    if (IsTwoInXla(program, split->slice)) continue;
    InstructionId part = program.operand(id, 0);
    if (split->reshape != kNoId) part = AddReshape(program, part, program.shape(split->slice));
    program.ReplaceUses(split->slice, part);
    program.RemoveDead(split->slice);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
