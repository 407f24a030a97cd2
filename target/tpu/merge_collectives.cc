// cse-of-collectives: cse for which the channel of a collective says nothing, nor how its devices are
// written. All-gathers keep their channels: near_gathers.cc merges them.
//
//   a = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1},{2,3}}
//   b = f32[8] all-reduce(x), channel_id=2, replica_groups=[2,2]<=[4]     ->  a in its place
//
// All others get one channel and one spelling of their devices; then cse.cc merges them. Afterwards each
// all-reduce has a channel of its own: what a function sums stays apart when the call is inlined.

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

void SetChannel(DeviceProgram& program, InstructionId id, int64_t channel) {
  if (!IsCollective(program.opcode(id)) || program.opcode(id) == Opcode::kAllGather) return;
  if (!program.module().HasAttribute(id, AttributeName::kChannelId)) return;
  program.SetAttribute(id, AttributeName::kChannelId, absl::StrCat(channel));
}

absl::Status Normalize(Context& context, InstructionId id) {
  DeviceProgram& program = context.program;
  const hlo::Module& module = program.module();
  SetChannel(program, id, 1);
  if (!module.HasAttribute(id, AttributeName::kReplicaGroups)) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(module, id));
  program.SetAttribute(id, AttributeName::kReplicaGroups, context.groups.Text(groups));
  return absl::OkStatus();
}

}  // namespace

absl::Status MergeEqualCollectives(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsCollective(program.opcode(id))) continue;
    TESSERA_RETURN_IF_ERROR(Normalize(context, id));
  }
  TESSERA_RETURN_IF_ERROR(EliminateCommonSubexpressions(context));
  int64_t channel = 1;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) == Opcode::kAllReduce) SetChannel(program, id, ++channel);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
