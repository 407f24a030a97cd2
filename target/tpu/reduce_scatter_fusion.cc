// tpu-all-reduce-scatter-fusion: where each device keeps only its part of a sum, only that part is
// sent to it.
//
//   a = bf16[64,4096] all-reduce(x), groups {0..7}
//   d = bf16[8,4096] dynamic-slice(a, partition * 8, 0)
//   ->  d = bf16[8,4096] reduce-scatter(x), groups {0..7}, dimensions={0}
//
// In the final module the two stand in one fusion. Conditions, found from outside:
//   - float32 or bfloat16, of two dimensions or more;
//   - the dimension is cut into as many parts as a group has devices, without a rest;
//   - the group is not the whole machine, where two sides of that are equal: 4x4, 8x8, 2x2x4, but not 4x8 or 2x4x8.
//     2x2 is no exception to the others (18 topologies of v4, v5e, v5p and v6e were tried);
//   - the array has tiles of 8 x 128, and a part has more than one;
//   - what lies between two pieces of a part is whole tiles of 4 bytes, 8 x 128 of float32. There are at
//     most 256 pieces. A part in one piece may be padded, if the array grows by half at most (4/3 was
//     tried, and 8/5, which is too much);
//   - a part in columns is exchanged in equal chunks of its rows of tiles: 9496 rows are 1187 of them, a prime.
// The layout is what operations ask for (layouts/layout_preferences.h), such as {3,0,2,1} of a convolution; else
// that in which the part pads least (layout/tpu_layout.h): it mostly becomes a result. A product without batch
// dimensions has any layout, also where a gather asks for rows of a table of the same sizes.
// What only products read is laid as its readers or the whole sum ask (scattered_layout.cc).
// Tried on some 500 shapes. Cost: constant for a sum.
//
// reduce-scatter-decomposer: on a whole machine with two equal sides, a reduce-scatter that the program asks
// for is a sum and a slice, too.

#include <cstdint>

#include "tessera/hlo/attributes.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/sums/scatter_sums.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
absl::Status FuseSumsWithSlices(Context& context) {
  if (!context.flags.tpu_all_reduce_scatter_fusion) return absl::OkStatus();
  const ArraySizes sizes(*context.target.chip);
  const LayoutPreferences preferences(context.program.module());
  return ScatterSums(context, "tpu-all-reduce-scatter-fusion", [&](const SplitSum& sum) {
    layout::Shape part = context.program.shape(sum.all_reduce);
    const KeptPart& split = sum.split;
    const int64_t dimension = split.dimension;
    if (part.rank() < 2 || part.has_unbounded_dim()) return false;
    if (part.dim(dimension) != split.parts * split.part_size) return false;
    if (IsWholeWithEqualSides(context.target, split.parts)) return false;
    const MinorChoice preference =
        PreferenceOfReadSum(sizes, preferences, context.program, sum.all_reduce);
    part.set_dim(dimension, split.part_size);
    return IsScattered(context.target, LaidPart(sizes, part, preference, dimension),
                       context.groups.list(sum.groups));
  });
}

absl::Status DecomposeReduceScatters(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kReduceScatter || !program.shape(id).is_array()) continue;
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
    const DeviceGroups::Groups& list = context.groups.list(groups);
    if (!IsWholeWithEqualSides(context.target, static_cast<int64_t>(list[0].size()))) continue;
    const InstructionId x = program.operand(id, 0);
    const InstructionId sum = program.Add(program.computation(id), Opcode::kAllReduce, "all-reduce",
                                          program.shape(x), {x});
    CopyCollectiveAttributes(context, id, sum);
    context.origins.Set("reduce-scatter-decomposer", program, sum, {id});
    program.ReplaceUses(id, AddOwnPart(context, sum, list, CollectiveDimension(program, id)));
    program.RemoveDead(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
