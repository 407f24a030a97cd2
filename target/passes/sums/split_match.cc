#include "tessera/target/passes/sums/split_match.h"

#include <vector>

namespace tessera::target {
namespace {

// The one dimension of the slice that is split; nothing if there is none, or several.
std::optional<int64_t> SplitDimension(const DeviceProgram& program, DeviceOffsets* offsets,
                                      InstructionId slice) {
  const layout::Shape& whole = program.shape(program.operand(slice, 0));
  const layout::Shape& part = program.shape(slice);
  std::vector<int64_t> shrinking, moving;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (whole.dim(d) == 1) continue;
    if (whole.dim(d) != part.dim(d)) shrinking.push_back(d);
    if (!offsets->IsZero(program.operand(slice, static_cast<size_t>(d) + 1))) moving.push_back(d);
  }
  if (shrinking.size() == 1) return shrinking[0];
  if (moving.size() == 1) return moving[0];
  return std::nullopt;
}

// Device j of every group takes part j.
bool IsInOrder(const DeviceOffsets::Value& offset, const DeviceGroups::Groups& groups,
               int64_t part_size) {
  if (!offset.known) return false;
  if (offset.left_out) return true;
  for (const std::vector<int64_t>& group : groups) {
    for (size_t j = 0; j < group.size(); ++j) {
      const int64_t expected = static_cast<int64_t>(j) * part_size;
      if (offset.by_device[static_cast<size_t>(group[j])] != expected) return false;
    }
  }
  return true;
}

// The dimension in front of the reshape: of the same size, with as many elements in front of it.
std::optional<int64_t> DimensionBefore(const layout::Shape& before, const layout::Shape& after,
                                       int64_t dimension) {
  int64_t wanted = 1, product = 1;
  for (int64_t d = 0; d < dimension; ++d) wanted *= after.dim(d);
  for (int64_t d = 0; d < before.rank(); product *= before.dim(d), ++d) {
    if (product == wanted && before.dim(d) == after.dim(dimension)) return d;
  }
  return std::nullopt;
}

}  // namespace

std::optional<KeptPart> FindKeptPart(const Context& context, DeviceOffsets* offsets,
                                     InstructionId all_reduce, GroupsId groups) {
  const DeviceProgram& program = context.program;
  if (!program.shape(all_reduce).is_array() || program.IsPinned(all_reduce)) return std::nullopt;
  KeptPart split;
  split.parts = context.groups.SizeOf(groups);
  if (split.parts < 2) return std::nullopt;
  InstructionId user = program.OnlyUser(all_reduce);
  if (user != kNoId && program.opcode(user) == Opcode::kReshape) {
    split.reshape = user;
    user = program.OnlyUser(user);
  }
  if (user == kNoId || program.opcode(user) != Opcode::kDynamicSlice) return std::nullopt;
  const InstructionId sliced = split.reshape == kNoId ? all_reduce : split.reshape;
  if (program.IsPinned(user) || program.operand(user, 0) != sliced) return std::nullopt;
  split.slice = user;
  const auto dimension = SplitDimension(program, offsets, split.slice);
  if (!dimension.has_value()) return std::nullopt;
  split.dimension = *dimension;
  const layout::Shape& whole = program.shape(program.operand(split.slice, 0));
  split.part_size = program.shape(split.slice).dim(*dimension);
  if (split.part_size < 1 || whole.dim(*dimension) / split.part_size != split.parts) {
    return std::nullopt;
  }
  const InstructionId index = program.operand(split.slice, static_cast<size_t>(*dimension) + 1);
  if (!IsInOrder(offsets->Of(index), context.groups.list(groups), split.part_size)) {
    return std::nullopt;
  }
  if (split.reshape == kNoId) return split;
  const auto before = DimensionBefore(program.shape(all_reduce), whole, *dimension);
  if (!before.has_value()) return std::nullopt;
  split.dimension = *before;
  return split;
}

}  // namespace tessera::target
