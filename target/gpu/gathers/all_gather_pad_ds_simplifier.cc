// all-gather-pad-ds-simplifier: a gathered array that is padded with zeros and cut is sent to the one device of
// each group whose part has it.
//
//   g = f32[8] all-gather(x: f32[2]);  p = f32[96] pad(g, 0), padding=0_88;  f32[24] dynamic-slice(p, device * 24)
//   ->  select(first device of a group, f32[24] concatenate(x, permute(x), permute(x), permute(x), zeros), zeros)
//
// Zeros stand on one side only. One device of each group has the whole gathered array as its part, in the
// order of the group. The parts go up with the numbers of the devices. There is a permute for each other
// device of the group, from it to that one; those of all groups are one.
//
// Cost: devices times all-gathers. Tested by recorded_passes_test.cc.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/gathers/sent_to_taker.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/device_groups.h"
#include "tessera/target/program/device_offsets.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using layout::Shape;
using Groups = DeviceGroups::Groups;

// The dimension that is cut, if it is one.
std::optional<int64_t> CutDimension(const Shape& whole, const Shape& part) {
  std::optional<int64_t> cut;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (whole.dim(d) == part.dim(d)) continue;
    if (cut.has_value()) return std::nullopt;
    cut = d;
  }
  return cut;
}

// Zeros in front of what is there, or after it, in one dimension.
std::optional<int64_t> ZerosInFront(const DeviceProgram& program, InstructionId pad,
                                    int64_t dimension) {
  if (!IsZero(program, program.operand(pad, 1))) return std::nullopt;
  const auto padding = hlo::GetPadding(program.module(), pad);
  for (size_t d = 0; d < padding.size(); ++d) {
    const bool is_dimension = d == static_cast<size_t>(dimension);
    const int sides = (padding[d].low != 0 ? 1 : 0) + (padding[d].high != 0 ? 1 : 0);
    if (padding[d].interior != 0 || sides != (is_dimension ? 1 : 0)) return std::nullopt;
  }
  return padding[static_cast<size_t>(dimension)].low;
}

std::optional<Padded> MatchPadded(const DeviceProgram& program, InstructionId slice) {
  if (program.opcode(slice) != Opcode::kDynamicSlice || program.IsPinned(slice)) return {};
  const InstructionId pad = program.operand(slice, 0);
  if (program.opcode(pad) != Opcode::kPad) return {};
  const InstructionId gather = program.operand(pad, 0);
  if (program.opcode(gather) != Opcode::kAllGather || program.operands(gather).size() != 1) {
    return {};
  }
  const DeviceMode mode = ModeOf(program, gather);
  const auto cut = CutDimension(program.shape(pad), program.shape(slice));
  if (!mode.has_channel || !mode.uses_global_ids || !cut.has_value()) return {};
  if (*cut != CollectiveDimension(program, gather)) return {};
  if (program.shape(slice).dim(*cut) < program.shape(gather).dim(*cut)) return {};
  const auto begin = ZerosInFront(program, pad, *cut);
  if (!begin.has_value()) return {};
  return Padded{slice, gather, *cut, *begin};
}

// Of the last device whose part begins at `begin` or before it.
std::optional<Taker> TakerOf(const std::vector<int64_t>& group, const std::vector<int64_t>& offsets,
                             int64_t begin) {
  std::vector<std::pair<int64_t, size_t>> parts;
  for (size_t k = 0; k < group.size(); ++k) {
    parts.emplace_back(offsets[static_cast<size_t>(group[k])], k);
  }
  absl::c_sort(parts);
  std::optional<Taker> taker;
  for (size_t k = 0; k < parts.size(); ++k) {
    const bool goes_up = k == 0 || (parts[k - 1].first < parts[k].first &&
                                    group[parts[k - 1].second] < group[parts[k].second]);
    if (!goes_up) return std::nullopt;
    if (parts[k].first <= begin) taker = Taker{parts[k].second, begin - parts[k].first};
  }
  return taker;
}

std::optional<Taker> FindTaker(const Groups& groups, const std::vector<int64_t>& offsets,
                               int64_t begin) {
  std::optional<Taker> all;
  for (const std::vector<int64_t>& group : groups) {
    const std::optional<Taker> taker = TakerOf(group, offsets, begin);
    if (!taker.has_value()) return std::nullopt;
    if (all.has_value() && (all->place != taker->place || all->offset != taker->offset)) {
      return std::nullopt;
    }
    all = taker;
  }
  return all;
}

absl::Status Simplify(Context& context, DeviceOffsets& offsets, const Padded& padded) {
  DeviceProgram& program = context.program;
  TESSERA_ASSIGN_OR_RETURN(const GroupsId id, context.groups.Of(program.module(), padded.gather));
  const auto index = static_cast<size_t>(padded.dimension) + 1;
  const DeviceOffsets::Value value = offsets.Of(program.operand(padded.slice, index));
  if (!value.known || value.by_device.empty()) return absl::OkStatus();
  const Groups groups = context.groups.list(id);
  const auto taker = FindTaker(groups, value.by_device, padded.begin);
  const int64_t size = program.shape(padded.slice).dim(padded.dimension);
  const int64_t gathered = program.shape(padded.gather).dim(padded.dimension);
  if (!taker.has_value() || taker->offset + gathered > size) return absl::OkStatus();
  program.ReplaceUses(padded.slice, SendToTaker(context, padded, groups, *taker));
  program.RemoveDead(padded.slice);
  return absl::OkStatus();
}

}  // namespace

absl::Status SimplifyPaddedAllGathers(Context& context) {
  DeviceProgram& program = context.program;
  DeviceOffsets offsets(&program, context.groups.num_devices());
  for (const InstructionId id : AllInstructions(program)) {
    const std::optional<Padded> padded = MatchPadded(program, id);
    if (!padded.has_value()) continue;
    TESSERA_RETURN_IF_ERROR(Simplify(context, offsets, *padded));
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
