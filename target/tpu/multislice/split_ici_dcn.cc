// split-ici-dcn: a collective over devices of several slices works inside of each slice, and between them.
//
//   s = f32[64,128] all-reduce(x), groups {0,1,8,9}, of slices of 8 devices
//   ->  p = f32[32,128] reduce-scatter(x), groups {0,1},{8,9}
//       q = f32[32,128] all-reduce(p), groups {0,8},{1,9}
//       s = f32[64,128] all-gather(q), groups {0,1},{8,9}
//
//   g = f32[64] all-gather(x: f32[16]), groups {0,1,8,9}
//   ->  p = f32[2,16] all-gather(f32[1,16] reshape(x)), groups {0,8},{1,9}, dimensions={0}
//       g = f32[64] reshape(f32[2,32] all-gather(p), groups {0,1},{8,9}, dimensions={1})
//
// So only a part of an array crosses the network. A sum is cut along its first dimension that the devices of a slice
// divide. Vectors, also as f32[1,128], and sums without such a dimension stay as they are. If each device keeps the part
// of its place in the slice, nothing is gathered. A part that does not fit tiles (IsScattered() of scattered_part.h) is
// taken from a sum, in place of the reduce-scatter. An all-gather needs no reshape if its groups name the first device
// of each slice, then the second. Other collectives stay.
// Found by 45 probes on two and four slices of v5e. Cost: linear. Tested by ../multislice_test.cc.

#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/passes/sums/split_match.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/device_offsets.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

// The first dimension that `parts` divide; -1: none.
int64_t CutDimension(const layout::Shape& shape, int64_t parts) {
  const auto is_wide = [](int64_t size) { return size > 1; };
  if (absl::c_count_if(shape.dims(), is_wide) < 2) return -1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) % parts == 0) return d;
  }
  return -1;
}

// Of a part that a reduce-scatter over all of a slice leaves where two sides are equal; larger ones are sums. Bisected
// on 4x4 of v5e.
int64_t MostTilesOfWhole(layout::ElementType type) {
  return type == layout::ElementType::kF32 ? 384 : 320;
}

class SumSplitter {
 public:
  explicit SumSplitter(Context& context)
      : context_(context),
        offsets_(&context.program, context.groups.num_devices()),
        sizes_(*context.target.chip),
        preferences_(context.program.module()) {}

  void Split(InstructionId sum, const SliceGroups& groups) {
    const layout::Shape whole = context_.program.shape(sum);
    const int64_t devices = groups.devices_inside();
    const int64_t d = CutDimension(whole, devices);
    if (SplitKeptPart(sum, groups) || d < 0) return;
    SliceCollectives made(context_, kSplitIciDcn, sum, groups);
    const InstructionId x = context_.program.operand(sum, 0);
    const InstructionId part =
        FitsTiles(x, d, groups) ? made.ScatterInside(x, d) : made.OwnPart(made.SumInside(x), d);
    made.Replace(made.GatherInside(made.SumAcross(part), d));
  }

 private:
  // A device keeps its own part of those of its slice: that part alone crosses, and nothing is gathered.
  bool SplitKeptPart(InstructionId sum, const SliceGroups& groups) {
    const auto kept = FindKeptPart(context_, &offsets_, sum, context_.groups.Add(groups.inside));
    if (!kept.has_value()) return false;
    SliceCollectives made(context_, kSplitIciDcn, sum, groups);
    const InstructionId part = PartInside(made, context_.program.operand(sum, 0), *kept, groups);
    context_.program.ReplaceUses(kept->slice, made.SumAcross(part));
    context_.program.RemoveDead(kept->slice);
    return true;
  }

  InstructionId PartInside(SliceCollectives& made, InstructionId x, const KeptPart& kept,
                           const SliceGroups& groups) {
    DeviceProgram& program = context_.program;
    const bool is_whole = program.shape(x).dim(kept.dimension) == kept.parts * kept.part_size;
    if (kept.reshape == kNoId && is_whole && FitsTiles(x, kept.dimension, groups))
      return made.ScatterInside(x, kept.dimension);
    const auto& old = program.operands(kept.slice);
    std::vector<InstructionId> operands(old.begin(), old.end());
    operands[0] = made.SumInside(x);
    if (kept.reshape != kNoId) {
      operands[0] = AddReshape(program, operands[0], program.shape(kept.reshape));
    }
    return program.Clone(kept.slice, operands, program.shape(kept.slice));
  }

  bool FitsTiles(InstructionId x, int64_t dimension, const SliceGroups& groups) const {
    const layout::Shape& whole = context_.program.shape(x);
    const int64_t devices = groups.devices_inside();
    layout::Shape part = whole;
    part.set_dim(dimension, whole.dim(dimension) / devices);
    const ScatteredPart laid = LaidPart(
        sizes_, part, PreferenceOfSum(preferences_, context_.program.module(), x), dimension);
    const bool is_large = IsWholeWithEqualSides(context_.target, devices) &&
                          TilesOf(laid.laid) > MostTilesOfWhole(whole.element_type());
    return !is_large && IsScattered(context_.target, laid, groups.inside);
  }

  Context& context_;
  DeviceOffsets offsets_;
  const ArraySizes sizes_;
  const LayoutPreferences preferences_;
};

void SplitGather(Context& context, InstructionId gather, const SliceGroups& groups) {
  DeviceProgram& program = context.program;
  const InstructionId x = program.operand(gather, 0);
  const int64_t d = CollectiveDimension(program, gather);
  SliceCollectives made(context, kSplitIciDcn, gather, groups);
  if (groups.order == SliceOrder::kSliceMinor) {
    made.Replace(made.GatherInside(made.GatherAcross(x, d), d));
    return;
  }
  const InstructionId part = AddReshape(program, x, SplitDimension(program.shape(x), d, 1));
  const InstructionId whole = made.GatherInside(made.GatherAcross(part, d), d + 1);
  made.Replace(AddReshape(program, whole, program.shape(gather)));
}

}  // namespace

absl::Status SplitIciDcn(Context& context) {
  DeviceProgram& program = context.program;
  if (context.target.slices == 1) return absl::OkStatus();
  SumSplitter sums(context);
  for (const InstructionId id : AllInstructions(program)) {
    const Opcode opcode = program.opcode(id);
    if (opcode != Opcode::kAllReduce && opcode != Opcode::kAllGather) continue;
    if (!program.shape(id).is_array()) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::optional<SliceGroups> groups, GroupsOver(context, id));
    if (!groups.has_value() || groups->devices_inside() == 1) continue;
    if (opcode == Opcode::kAllReduce) sums.Split(id, *groups);
    if (opcode == Opcode::kAllGather && groups->order != SliceOrder::kOther) {
      SplitGather(context, id, *groups);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
