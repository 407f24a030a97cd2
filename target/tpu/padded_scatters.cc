// pad-reduce-scatters: the part of a sum that a device keeps becomes a multiple of the chunks in which it
// is sent.
//
//   r = bf16[4000,2048] reduce-scatter(x), groups {0..7}, dimensions={0}
//   ->  r = 4056 rows; their last 392 go from each device to the next, which takes 4000 from both
//
// Parts that grew begin earlier than those that are wanted: on the last device by all that the others
// grew. Rules, from reduce-scatters of 30 sizes over 2, 4, 8 and 16 devices of v5e, v5p and v6e, and of seven over 32 and 128:
//   - the part lies in one piece; its unit is a row of tiles where rows are cut, else a tile;
//   - n devices have tiles_of_chunks / (n + 4) tiles in a chunk (TilesOfChunks());
//   - there are as few chunks as possible, of equally many units. Half of a chunk goes each way, so that
//     its tiles are even. Of four devices that fill two sides of two of the torus, half of each half goes
//     along each side: units are even, and so are the tiles of half of them;
//   - those of split-ici-dcn are padded where rows are cut, else they stay as they are.
// Cost: linear in the module. Tested by padded_scatters_test.cc.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::Shape;

constexpr absl::string_view kPass = "pad-reduce-scatters";
constexpr int64_t kMostDevices = 128;  // groups of more were never compared with the compiler

class ScatterPadding {
 public:
  ScatterPadding(Context& context, InstructionId scatter, GroupsId groups,
                 const ScatteredPart& part)
      : context_(context),
        program_(context.program),
        scatter_(scatter),
        groups_(context.groups.list(groups)),
        part_(part),
        devices_(context.groups.SizeOf(groups)) {}

  void Run() {
    const int64_t wanted = PaddedElements(context_.target, part_, groups_);
    if (wanted == Elements()) return;
    const InstructionId result = Taken(Scattered(wanted));
    program_.ReplaceUses(scatter_, result);
    program_.RemoveDead(scatter_);
  }

 private:
  int64_t Elements() const { return CutElements(part_); }
  const layout::Layout& order() const { return part_.laid.layout(); }

  // The dimensions of `shape` from the most major one, in whole tiles if they are not cut in rows.
  std::vector<int64_t> Sizes(const Shape& shape) const {
    std::vector<int64_t> sizes;
    for (const int64_t d : order().minor_to_major) sizes.insert(sizes.begin(), shape.dim(d));
    if (part_.cuts_rows()) return sizes;
    int64_t* const minor = &sizes.back();
    *minor = RoundUp(*minor, ColumnsOfTile(part_.laid));
    minor[-1] = RoundUp(minor[-1], kTileRows);
    return sizes;
  }

  std::vector<int64_t> MajorFirst() const {
    return {order().minor_to_major.rbegin(), order().minor_to_major.rend()};
  }

  InstructionId Flat(InstructionId x) {
    return AddReshape(program_, x, Resized(program_.shape(x), {*program_.shape(x).NumElements()}));
  }

  // A reduce-scatter of a vector; each device gets `wanted` elements.
  InstructionId Scattered(int64_t wanted) {
    const InstructionId x = TransposeTo(program_, program_.operand(scatter_, 0), MajorFirst());
    const InstructionId in_tiles =
        Flat(PadWithZeros(program_, x, Sizes(program_.shape(program_.operand(scatter_, 0)))));
    const InstructionId scatter = program_.Add(
        computation(), Opcode::kReduceScatter, "reduce-scatter", Resized(part_.laid, {wanted}),
        {PadWithZeros(program_, in_tiles, {wanted * devices_})});
    CopyCollectiveAttributes(context_, scatter_, scatter);
    program_.SetAttribute(scatter, AttributeName::kDimensions, "{0}");
    context_.origins.Copy(scatter_, scatter);
    return scatter;
  }

  // The last elements of the device that is `distance` in front.
  InstructionId Sent(InstructionId x, int64_t elements, int64_t distance) {
    DevicePairs pairs;
    for (const std::vector<int64_t>& group : groups_) {
      for (size_t k = static_cast<size_t>(distance); k < group.size(); ++k) {
        pairs.emplace_back(group[k - static_cast<size_t>(distance)], group[k]);
      }
    }
    const int64_t end = program_.shape(x).dim(0);
    const InstructionId last = SliceAlong(program_, x, 0, end - elements, end);
    return AddPermute(context_, kPass, scatter_, computation(), program_.shape(last), last, pairs);
  }

  // Where the part begins after `before` elements of others, by a table of devices.
  InstructionId Begin(int64_t before, int64_t grown) {
    std::vector<int64_t> table(static_cast<size_t>(context_.groups.num_devices()), 0);
    for (const std::vector<int64_t>& group : groups_) {
      for (size_t k = 0; k < group.size(); ++k) {
        table[static_cast<size_t>(group[k])] = before - static_cast<int64_t>(k) * grown;
      }
    }
    return AddNumberOfDevice(context_, computation(), table);
  }

  InstructionId Cut(InstructionId x, InstructionId begin, int64_t elements) {
    return AddDynamicSlice(program_, x, {begin}, Resized(program_.shape(x), {elements}));
  }

  // The wanted part of what grew, in its own shape.
  InstructionId Taken(InstructionId scatter) {
    const int64_t size = program_.shape(scatter).dim(0), grown = size - Elements();
    const int64_t before = grown * (devices_ - 1);
    std::vector<InstructionId> all = {scatter};
    for (int64_t done = 0; done < before; done += size) {
      const auto distance = static_cast<int64_t>(all.size());
      all.insert(all.begin(), Sent(scatter, std::min(size, before - done), distance));
    }
    const InstructionId both =
        AddConcatenate(program_, all, Resized(part_.laid, {before + size}), 0);
    const InstructionId flat = Cut(both, Begin(before, grown), Elements());
    const InstructionId in_tiles =
        AddReshape(program_, flat, Resized(part_.laid, Sizes(part_.laid)));
    std::vector<int64_t> sizes, back(MajorFirst().size());
    for (const int64_t d : MajorFirst()) {
      back[static_cast<size_t>(d)] = static_cast<int64_t>(sizes.size());
      sizes.push_back(part_.laid.dim(d));
    }
    return TransposeTo(program_, AddSlice(program_, in_tiles, sizes), back);
  }

  ComputationId computation() const { return program_.computation(scatter_); }

  Context& context_;
  DeviceProgram& program_;
  const InstructionId scatter_;
  const DeviceGroups::Groups& groups_;
  const ScatteredPart part_;
  const int64_t devices_;
};

}  // namespace

absl::Status PadReduceScatters(Context& context) {
  DeviceProgram& program = context.program;
  const ArraySizes sizes(*context.target.chip);
  const LayoutPreferences preferences(program.module());
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kReduceScatter || !program.shape(id).is_array()) continue;
    if (program.shape(id).rank() < 2 || program.shape(id).has_unbounded_dim()) continue;
    if (program.shape(id).NumElements() == 0) continue;
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
    const int64_t devices = context.groups.SizeOf(groups);
    if (devices < 2 || devices > kMostDevices) continue;
    const auto dimensions = hlo::GetInts(program.module(), id, AttributeName::kDimensions);
    const MinorChoice preference = PreferenceOfReadSum(sizes, preferences, program, id);
    const ScatteredPart part = LaidPart(sizes, program.shape(id), preference, (*dimensions)[0]);
    if (RowsOfTile(part.laid) != kTileRows || part.pieces > 1 || part.place == 0) continue;
    if (!part.cuts_rows() && context.origins.Of(id).made_by == kSplitIciDcn) continue;
    ScatterPadding(context, id, groups, part).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
