// all-gather-to-collective-permute-simplifier: where each device slices one part out of a gathered array, the part
// is sent.
//
//   g = f32[32] all-gather(x: f32[4]);  dynamic-slice(g, table[device]): f32[4]
//   ->  f32[4] collective-permute(x), from the device whose part it is to each device
//
// The slice is as large as what each device gave, and is cut along the gathered dimension. Also if each device takes
// its own part: where nothing else reads the all-gather, all-gather-dynamic-slice-simplifier was there before.
//
// Cost: devices times all-gathers. Tested by all_gather_to_collective_permute_simplifier_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/device_offsets.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kToPermute[] = "all-gather-to-collective-permute-simplifier";

// The all-gather of which the instruction slices as much as a device gave; kNoId where it does not.
InstructionId GatherOf(const DeviceProgram& program, InstructionId slice) {
  if (program.opcode(slice) != Opcode::kDynamicSlice || program.IsPinned(slice)) return kNoId;
  const InstructionId gather = program.operand(slice, 0);
  if (program.opcode(gather) != Opcode::kAllGather || program.operands(gather).size() != 1) {
    return kNoId;
  }
  const DeviceMode mode = ModeOf(program, gather);
  const bool is_part =
      program.shape(slice).dims() == program.shape(program.operand(gather, 0)).dims();
  return is_part && mode.has_channel && mode.uses_global_ids ? gather : kNoId;
}

// Source and target of each part; nothing if a device slices across parts, or two slice the same one: a device
// sends once.
std::optional<DevicePairs> PairsOf(const DeviceGroups::Groups& groups,
                                   const std::vector<int64_t>& offsets, int64_t size) {
  DevicePairs pairs;
  for (const std::vector<int64_t>& group : groups) {
    std::vector<bool> is_sent(group.size());
    for (const int64_t device : group) {
      const int64_t offset = offsets[static_cast<size_t>(device)];
      const int64_t part = offset / size;
      if (offset < 0 || offset % size != 0 || part >= static_cast<int64_t>(group.size())) {
        return std::nullopt;
      }
      if (is_sent[static_cast<size_t>(part)]) return std::nullopt;
      is_sent[static_cast<size_t>(part)] = true;
      pairs.emplace_back(group[static_cast<size_t>(part)], device);
    }
  }
  return pairs;
}

absl::Status Simplify(Context& context, DeviceOffsets& offsets, InstructionId gather,
                      InstructionId slice) {
  DeviceProgram& program = context.program;
  const int64_t dimension = CollectiveDimension(program, gather);
  const int64_t size = program.shape(slice).dim(dimension);
  const DeviceOffsets::Value offset =
      offsets.Of(program.operand(slice, static_cast<size_t>(dimension) + 1));
  if (!offset.known || offset.by_device.empty() || size == 0) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), gather));
  const auto pairs = PairsOf(context.groups.list(groups), offset.by_device, size);
  if (!pairs.has_value()) return absl::OkStatus();
  program.ReplaceUses(slice, AddPermute(context, kToPermute, gather, program.computation(slice),
                                        program.shape(slice), program.operand(gather, 0), *pairs));
  program.RemoveDead(slice);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReplaceSlicedAllGathersByPermutes(Context& context) {
  DeviceProgram& program = context.program;
  DeviceOffsets offsets(&program, context.groups.num_devices());
  for (const InstructionId id : AllInstructions(program)) {
    const InstructionId gather = GatherOf(program, id);
    if (gather == kNoId) continue;
    TESSERA_RETURN_IF_ERROR(Simplify(context, offsets, gather, id));
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
