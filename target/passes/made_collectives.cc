#include "tessera/target/passes/made_collectives.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {

using hlo::AttributeName;

DeviceMode ModeOf(const DeviceProgram& program, InstructionId collective) {
  const hlo::Module& module = program.module();
  return {module.HasAttribute(collective, AttributeName::kChannelId),
          hlo::GetBool(module, collective, AttributeName::kUseGlobalDeviceIds).value_or(false)};
}

absl::StatusOr<bool> ReduceAlike(Context& context, InstructionId a, InstructionId b) {
  const DeviceProgram& program = context.program;
  const auto reduction = ReductionOf(program, a);
  if (!reduction.has_value() || reduction != ReductionOf(program, b)) return false;
  TESSERA_ASSIGN_OR_RETURN(const GroupsId of_a, context.groups.Of(program.module(), a));
  TESSERA_ASSIGN_OR_RETURN(const GroupsId of_b, context.groups.Of(program.module(), b));
  return of_a == of_b && ModeOf(program, a) == ModeOf(program, b);
}

void CopyCollectiveAttributes(Context& context, InstructionId from, InstructionId to) {
  DeviceProgram& program = context.program;
  const hlo::Module& module = program.module();
  for (const AttributeName name : {AttributeName::kReplicaGroups,
                                   AttributeName::kUseGlobalDeviceIds, AttributeName::kMetadata}) {
    const auto value = module.FindAttribute(from, name);
    if (value.has_value()) program.SetAttribute(to, name, std::string(*value));
  }
  if (module.HasAttribute(from, AttributeName::kChannelId)) {
    program.SetAttribute(to, AttributeName::kChannelId, absl::StrCat(context.NewChannel()));
  }
  const std::vector<ComputationId> called(module.called(from).begin(), module.called(from).end());
  program.SetCalled(to, called);
}

void SetReducer(DeviceProgram& program, InstructionId sum, Opcode reduction) {
  const layout::Shape scalar = layout::Shape::Array(program.shape(sum).element_type(), {});
  const ComputationId c = program.AddComputation("promoted");
  const InstructionId x = program.Add(c, Opcode::kParameter, "x", scalar, {});
  const InstructionId y = program.Add(c, Opcode::kParameter, "y", scalar, {});
  program.SetRoot(c, program.Add(c, reduction, "result", scalar, {x, y}));
  program.SetCalled(sum, {c});
}

InstructionId AddPermute(Context& context, absl::string_view pass, InstructionId from,
                         ComputationId computation, const layout::Shape& shape, InstructionId x,
                         const DevicePairs& pairs) {
  DeviceProgram& program = context.program;
  const InstructionId sent =
      program.Add(computation, Opcode::kCollectivePermute, "collective-permute", shape, {x});
  const auto add_pair = [](std::string* out, const std::pair<int64_t, int64_t>& pair) {
    absl::StrAppend(out, "{", pair.first, ",", pair.second, "}");
  };
  program.SetAttribute(sent, AttributeName::kSourceTargetPairs,
                       absl::StrCat("{", absl::StrJoin(pairs, ",", add_pair), "}"));
  program.SetAttribute(sent, AttributeName::kChannelId, absl::StrCat(context.NewChannel()));
  context.origins.Set(pass, program, sent, {from});
  return sent;
}

InstructionId AddNumberOfDevice(Context& context, ComputationId computation,
                                absl::Span<const int64_t> table) {
  DeviceProgram& program = context.program;
  const layout::Shape one = layout::Shape::Array(layout::ElementType::kS64, {});
  const InstructionId list =
      program.AddConstant(computation, Resized(one, {static_cast<int64_t>(table.size())}),
                          absl::StrCat("{", absl::StrJoin(table, ", "), "}"));
  const InstructionId device = program.Add(computation, Opcode::kPartitionId, "partition-id",
                                           layout::Shape::Array(layout::ElementType::kU32, {}), {});
  const InstructionId entry = AddDynamicSlice(program, list, {device}, Resized(one, {1}));
  return AddReshape(program, entry, one);
}

InstructionId AddOwnPart(Context& context, InstructionId x, const DeviceGroups::Groups& groups,
                         int64_t dimension) {
  DeviceProgram& program = context.program;
  layout::Shape part = Resized(program.shape(x), program.shape(x).dims());
  part.set_dim(dimension, part.dim(dimension) / static_cast<int64_t>(groups[0].size()));
  std::vector<int64_t> begins(static_cast<size_t>(context.groups.num_devices()), 0);
  for (const std::vector<int64_t>& group : groups) {
    for (size_t k = 0; k < group.size(); ++k) {
      begins[static_cast<size_t>(group[k])] = static_cast<int64_t>(k) * part.dim(dimension);
    }
  }
  const ComputationId computation = program.computation(x);
  const InstructionId begin = AddNumberOfDevice(context, computation, begins);
  const InstructionId zero = program.AddConstant(computation, program.shape(begin), "0");
  std::vector<InstructionId> starts(static_cast<size_t>(part.rank()), zero);
  starts[static_cast<size_t>(dimension)] = begin;
  return AddDynamicSlice(program, x, starts, part);
}

void RenewChannel(Context& context, InstructionId collective) {
  DeviceProgram& program = context.program;
  if (!program.module().HasAttribute(collective, AttributeName::kChannelId)) return;
  program.SetAttribute(collective, AttributeName::kChannelId, absl::StrCat(context.NewChannel()));
}

void SetGroups(Context& context, InstructionId collective, const DeviceGroups::Groups& groups) {
  DeviceProgram& program = context.program;
  program.SetAttribute(collective, AttributeName::kReplicaGroups,
                       context.groups.Text(context.groups.Add(groups)));
  RenewChannel(context, collective);
}

}  // namespace tessera::target
