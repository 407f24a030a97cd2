#include "tessera/target/tpu/multislice/slice_collectives.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {

bool Crosses(const Target& target, const std::pair<int64_t, int64_t>& pair) {
  return pair.first / target.slice_devices() != pair.second / target.slice_devices();
}

std::optional<SliceGroups> SliceGroupsOf(const Context& context, GroupsId groups) {
  if (context.target.slices == 1) return std::nullopt;
  return SplitGroups(context.groups.list(groups), context.target.slice_devices());
}

absl::StatusOr<std::optional<SliceGroups>> GroupsOver(Context& context, InstructionId collective) {
  TESSERA_ASSIGN_OR_RETURN(const GroupsId id,
                           context.groups.Of(context.program.module(), collective));
  return SliceGroupsOf(context, id);
}

absl::StatusOr<bool> SpansSlices(Context& context, InstructionId id) {
  if (context.target.slices == 1 || !IsCollective(context.program.opcode(id))) return false;
  if (context.program.opcode(id) == Opcode::kCollectivePermute)
    return absl::c_any_of(hlo::GetSourceTargetPairs(context.program.module(), id),
                          [&](const auto& pair) { return Crosses(context.target, pair); });
  TESSERA_ASSIGN_OR_RETURN(const auto groups, GroupsOver(context, id));
  return groups.has_value();
}

InstructionId SliceCollectives::Add(Opcode opcode, InstructionId x, const layout::Shape& shape,
                                    const DeviceGroups::Groups& groups) {
  const InstructionId made =
      program_.Add(program_.computation(from_), opcode, hlo::OpcodeName(opcode), shape, {x});
  CopyCollectiveAttributes(context_, from_, made);
  if (opcode == Opcode::kAllGather) program_.SetCalled(made, {});
  SetGroups(context_, made, groups);
  context_.origins.Set(pass_, program_, made, {from_});
  return made;
}

InstructionId SliceCollectives::AddAlong(Opcode opcode, InstructionId x, int64_t dimension,
                                         int64_t size, const DeviceGroups::Groups& groups) {
  layout::Shape shape = Resized(program_.shape(x), program_.shape(x).dims());
  shape.set_dim(dimension, size);
  const InstructionId made = Add(opcode, x, shape, groups);
  program_.SetAttribute(made, hlo::AttributeName::kDimensions, absl::StrCat("{", dimension, "}"));
  return made;
}

InstructionId SliceCollectives::SumInside(InstructionId x) {
  return Add(Opcode::kAllReduce, x, program_.shape(x), groups_.inside);
}

InstructionId SliceCollectives::SumAcross(InstructionId x) {
  return Add(Opcode::kAllReduce, x, program_.shape(x), groups_.across);
}

InstructionId SliceCollectives::GatherInside(InstructionId x, int64_t dimension) {
  return AddAlong(Opcode::kAllGather, x, dimension,
                  program_.shape(x).dim(dimension) * groups_.devices_inside(), groups_.inside);
}

InstructionId SliceCollectives::GatherAcross(InstructionId x, int64_t dimension) {
  return AddAlong(Opcode::kAllGather, x, dimension,
                  program_.shape(x).dim(dimension) * groups_.slices(), groups_.across);
}

InstructionId SliceCollectives::ScatterInside(InstructionId x, int64_t dimension) {
  return AddAlong(Opcode::kReduceScatter, x, dimension,
                  program_.shape(x).dim(dimension) / groups_.devices_inside(), groups_.inside);
}

InstructionId SliceCollectives::ScatterAcross(InstructionId x, int64_t dimension) {
  return AddAlong(Opcode::kReduceScatter, x, dimension,
                  program_.shape(x).dim(dimension) / groups_.slices(), groups_.across);
}

InstructionId SliceCollectives::OwnPart(InstructionId x, int64_t dimension) {
  return AddOwnPart(context_, x, groups_.inside, dimension);
}

void SliceCollectives::Replace(InstructionId result) {
  program_.ReplaceUses(from_, result);
  program_.RemoveDead(from_);
}

}  // namespace tessera::target
