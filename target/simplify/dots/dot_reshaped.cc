// f32[16,8,3,4] reshape(f32[16,8,12] x dot reshape(y))  ->  f32[16,8,3,4] x dot reshape(transpose(reshape(y)))
//
// On TPUs, where an operand is a reshape, or one that is converted: a layer's weights out of a stack, rows that were
// joined. What the reshape does to the free dimensions of a side, it does to that operand, with what is contracted
// after them. So queries, keys and values are cut in the weights, not in the result. A reshape that only adds
// dimensions of size 1 stays: a dot has none (dot_ones.cc).

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

bool IsReshape(const DeviceProgram& program, InstructionId x) {
  if (program.opcode(x) == Opcode::kConvert) x = program.operand(x, 0);
  return program.opcode(x) == Opcode::kReshape;
}

// The dimensions that a reshape makes of those from `begin` to `end`; nothing where it joins them with others.
struct Range {
  int64_t begin = 0, end = 0;
};
std::optional<IntList> SizesOf(const std::vector<ReshapePart>& parts, const layout::Shape& to,
                               Range range) {
  IntList sizes;
  for (const ReshapePart& part : parts) {
    if (part.from_end <= range.begin || part.from >= range.end) continue;
    if (part.from < range.begin || part.from_end > range.end) return std::nullopt;
    for (int64_t d = part.to; d < part.to_end; ++d) sizes.push_back(to.dim(d));
  }
  return sizes;
}

IntList SizesAlong(const layout::Shape& shape, const IntList& dimensions) {
  IntList sizes;
  for (const int64_t d : dimensions) sizes.push_back(shape.dim(d));
  return sizes;
}

// The operand with other free dimensions, between those of batches and the contracted ones.
InstructionId WithFree(DeviceProgram& program, InstructionId operand, const IntList& free,
                       DotSide* side) {
  const layout::Shape shape = program.shape(operand);
  if (SizesAlong(shape, side->free) == free) return operand;
  IntList order, sizes;
  DotSide moved;
  const auto put = [&](const IntList& from, const IntList& extents, IntList* places) {
    order.insert(order.end(), from.begin(), from.end());
    for (const int64_t extent : extents) {
      places->push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(extent);
    }
  };
  put(side->batch, SizesAlong(shape, side->batch), &moved.batch);
  put(side->free, free, &moved.free);
  put(side->contracting, SizesAlong(shape, side->contracting), &moved.contracting);
  *side = moved;
  return ReshapeTo(program, TransposeTo(program, operand, order), Resized(shape, sizes));
}

}  // namespace

InstructionId ReshapeOperandsOfDot(DeviceProgram& program, InstructionId reshape) {
  const InstructionId dot = program.operand(reshape, 0);
  if (!IsReplaceableDot(program, dot) || program.OnlyUser(dot) == kNoId) return kNoId;
  const InstructionId left = program.operand(dot, 0), right = program.operand(dot, 1);
  if (!IsReshape(program, left) && !IsReshape(program, right)) return kNoId;
  const layout::Shape& to = program.shape(reshape);
  if (SizesWithoutOnes(program.shape(dot)) == SizesWithoutOnes(to)) return kNoId;
  const auto parts = PartsOfReshape(program.shape(dot), to);
  const bool is_plain = parts.has_value() && absl::c_all_of(*parts, [](const ReshapePart& part) {
                          return part.from < part.from_end && part.to < part.to_end;
                        });
  if (!is_plain) return kNoId;
  DotParts sides = PartsOf(program, dot);
  const auto batch = static_cast<int64_t>(sides.left.batch.size());
  const auto rows = batch + static_cast<int64_t>(sides.left.free.size());
  const auto batches = SizesOf(*parts, to, {0, batch});
  const auto of_left = SizesOf(*parts, to, {batch, rows});
  const auto of_right = SizesOf(*parts, to, {rows, program.shape(dot).rank()});
  if (!batches.has_value() || !of_left.has_value() || !of_right.has_value()) return kNoId;
  if (*batches != SizesAlong(program.shape(left), sides.left.batch)) return kNoId;
  const InstructionId new_left = WithFree(program, left, *of_left, &sides.left);
  const InstructionId new_right = WithFree(program, right, *of_right, &sides.right);
  return CloneDot(program, dot, new_left, new_right, sides, to);
}

}  // namespace tessera::target
