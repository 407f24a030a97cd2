// all-reduce-folder: a sum over groups of a sum over groups is one sum over larger groups.
//
//   a = all-reduce(x), groups {{0,1,2,3},{4,5,6,7}}
//   b = all-reduce(a), groups {{0,4},{1,5},{2,6},{3,7}}
//   ->  b = all-reduce(x), groups {{0,1,2,3,4,5,6,7}}
//
// The inner one has no other user. For each outer group the inner groups of its devices are put
// together. No device may come twice, and all devices of the union must come to this same union.

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kAllReduceFolder[] = "all-reduce-folder";

using Groups = DeviceGroups::Groups;

// The group of each device; nothing where a device is in none, or in two.
std::optional<std::vector<size_t>> GroupOfDevice(const Groups& groups, int64_t devices) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> of(static_cast<size_t>(devices), kNone);
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const int64_t device : groups[g]) {
      size_t& place = of[static_cast<size_t>(device)];
      if (place != kNone) return std::nullopt;
      place = g;
    }
  }
  if (std::find(of.begin(), of.end(), kNone) != of.end()) return std::nullopt;
  return of;
}

std::optional<Groups> Fold(const Groups& inner, const Groups& outer, int64_t devices) {
  const auto inner_of = GroupOfDevice(inner, devices);
  if (!inner_of.has_value()) return std::nullopt;
  std::set<std::vector<int64_t>> unions;
  std::vector<const std::vector<int64_t>*> union_of(static_cast<size_t>(devices), nullptr);
  for (const std::vector<int64_t>& group : outer) {
    std::vector<int64_t> all;
    for (const int64_t device : group) {
      const auto& more = inner[(*inner_of)[static_cast<size_t>(device)]];
      all.insert(all.end(), more.begin(), more.end());
    }
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end()) return std::nullopt;
    const auto* const joined = &*unions.insert(all).first;
    for (const int64_t device : group) union_of[static_cast<size_t>(device)] = joined;
  }
  for (const std::vector<int64_t>& all : unions) {
    for (const int64_t device : all) {
      if (union_of[static_cast<size_t>(device)] != &all) return std::nullopt;
    }
  }
  return Groups(unions.begin(), unions.end());
}

bool IsSumOfOne(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kAllReduce && program.operands(id).size() == 1 &&
         !program.IsPinned(id);
}

absl::Status FoldInto(Context& context, InstructionId outer) {
  DeviceProgram& program = context.program;
  const InstructionId inner = program.operand(outer, 0);
  if (!IsSumOfOne(program, inner) || program.OnlyUser(inner) == kNoId) return absl::OkStatus();
  const auto reduction = ReductionOf(program, outer);
  if (!reduction.has_value() || reduction != ReductionOf(program, inner)) return absl::OkStatus();
  if (!(ModeOf(program, inner) == ModeOf(program, outer))) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const GroupsId of_inner, context.groups.Of(program.module(), inner));
  TESSERA_ASSIGN_OR_RETURN(const GroupsId of_outer, context.groups.Of(program.module(), outer));
  const auto folded = Fold(context.groups.list(of_inner), context.groups.list(of_outer),
                           context.groups.num_devices());
  if (!folded.has_value()) return absl::OkStatus();
  const InstructionId both =
      program.Clone(outer, {program.operand(inner, 0)}, program.shape(outer));
  SetGroups(context, both, *folded);
  context.origins.Set(kAllReduceFolder, program, both, {inner, outer});
  program.ReplaceUses(outer, both);
  program.RemoveDead(outer);
  return absl::OkStatus();
}

}  // namespace

absl::Status FoldAllReduces(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!program.IsRemoved(id) && IsSumOfOne(program, id)) {
      TESSERA_RETURN_IF_ERROR(FoldInto(context, id));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
