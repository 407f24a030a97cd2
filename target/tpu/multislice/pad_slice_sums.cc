// pad-slice-sums: arrays that cross between slices have the tiles of their layout.
//
//   s = f32[100,3] all-reduce(x), groups {0,8}   ->  s = the first 300 of f32[512] all-reduce(pad(x)), groups {0,8}
//   r = bf16[64,128] reduce-scatter(x), groups {0,8}, dimensions={0}
//   ->  r = the first half of bf16[64,128,2] reduce-scatter(pad(x)), groups {0,8}, dimensions={0}
//
// A matrix has the layout that its operations need: rows are gathered from a table, for example. A part that an
// all-gather puts together has the layout of the whole. It is row-major if a loop carries it and its parts do not fill
// tiles. Other arrays have the order that pads least. A reduce-scatter sends rows of the most minor dimension: each has
// whole rows of 128 elements, of bfloat16 in pairs.
//
// Found by 40 probes, and in the final modules of 50 training steps. Not modelled: scattered rows that grow by another
// factor than a whole one, as 384 bfloat16s to 512. Cost: linear. Tested by ../multislice_test.cc.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/layout/element_type.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kPadCrossSliceSums[] = "pad-slice-sums";
constexpr int64_t kLanesSent = 128;
constexpr int64_t kBitsOfWord = 32;

// With one more dimension after the others.
layout::Shape WithFurtherDimension(const layout::Shape& like, int64_t size) {
  std::vector<int64_t> sizes(like.dims().begin(), like.dims().end());
  sizes.push_back(size);
  return Resized(like, sizes);
}

class SumPadding {
 public:
  explicit SumPadding(Context& context)
      : context_(context),
        program_(context.program),
        sizes_(*context.target.chip),
        preferences_(context.program.module()) {}

  void PadSum(InstructionId sum, const SliceGroups& groups) {
    const layout::Shape shape = program_.shape(sum);
    const int64_t elements = *shape.NumElements(), padded = TiledElements(LaidOut(sum));
    if (padded == elements) return;
    SliceCollectives made(context_, kPadCrossSliceSums, sum, groups);
    const InstructionId flat =
        AddReshape(program_, program_.operand(sum, 0), Resized(shape, {elements}));
    const InstructionId padded_sum = made.SumAcross(PadWithZeros(program_, flat, {padded}));
    context_.origins.Copy(sum, padded_sum);
    made.Replace(AddReshape(program_, SliceAlong(program_, padded_sum, 0, 0, elements),
                            Resized(shape, shape.dims())));
  }

  void PadScatter(InstructionId scatter, const SliceGroups& groups) {
    const layout::Shape shape = program_.shape(scatter);
    const int64_t factor = Growth(shape);
    if (factor == 1) return;
    SliceCollectives made(context_, kPadCrossSliceSums, scatter, groups);
    const InstructionId x = program_.operand(scatter, 0);
    const layout::Shape whole = program_.shape(x);
    const InstructionId padded =
        PadWithZeros(program_, AddReshape(program_, x, WithFurtherDimension(whole, 1)),
                     WithFurtherDimension(whole, factor).dims());
    const InstructionId part = made.ScatterAcross(padded, CollectiveDimension(program_, scatter));
    context_.origins.Copy(scatter, part);
    made.Replace(AddReshape(program_, SliceAlong(program_, part, shape.rank(), 0, 1),
                            Resized(shape, shape.dims())));
  }

 private:
  layout::Shape LaidOut(InstructionId sum) const {
    const layout::Shape& shape = program_.shape(sum);
    const InstructionId user = program_.OnlyUser(sum);
    const bool is_part = user != kNoId && program_.opcode(user) == Opcode::kAllGather;
    if (is_part && IsCarried(program_.operand(sum, 0))) {
      const bool fills = FillsTiles(Preferred(shape), CollectiveDimension(program_, user));
      return fills ? Preferred(shape) : RowMajor(shape);
    }
    return shape.rank() == 2
               ? sizes_.Laid(shape, preferences_.Of(is_part ? program_.shape(user) : shape))
               : sizes_.Laid(shape);
  }

  // Its parts lie one after another, without padding between them.
  static bool FillsTiles(const layout::Shape& part, int64_t dimension) {
    const auto& order = part.layout().minor_to_major;
    if (order[0] == dimension) return part.dim(dimension) % kTileColumns == 0;
    if (order[1] != dimension) return true;
    const int64_t in_word = kBitsOfWord / BitWidth(part.element_type());
    return part.dim(dimension) % (kTileRows * in_word) == 0;
  }

  bool IsCarried(InstructionId x) const {
    while (program_.opcode(x) == Opcode::kReshape) x = program_.operand(x, 0);
    return program_.opcode(x) == Opcode::kGetTupleElement;
  }

  layout::Shape Preferred(const layout::Shape& shape) const {
    return shape.rank() == 2 ? sizes_.Laid(shape, preferences_.Of(shape)) : sizes_.Laid(shape);
  }

  layout::Shape RowMajor(const layout::Shape& shape) const {
    layout::Shape laid = shape;
    laid.set_layout(layout::Layout::Descending(shape.rank()));
    return sizes_.WithTiles(laid);
  }

  // By which a scattered part grows; 1 where it is no whole number.
  int64_t Growth(const layout::Shape& part) const {
    const layout::Shape laid = Preferred(part);
    const int64_t minor = part.dim(laid.layout().minor_to_major[0]);
    const int64_t rows =
        kBitsOfWord / std::min<int64_t>(kBitsOfWord, BitWidth(part.element_type()));
    const int64_t padded = RoundUp(CeilDiv(minor, kLanesSent), rows) * kLanesSent;
    return padded % minor == 0 ? padded / minor : 1;
  }

  Context& context_;
  DeviceProgram& program_;
  const ArraySizes sizes_;
  const LayoutPreferences preferences_;
};

}  // namespace

absl::Status PadCrossSliceSums(Context& context) {
  DeviceProgram& program = context.program;
  if (context.target.slices == 1) return absl::OkStatus();
  SumPadding padding(context);
  for (const InstructionId id : AllInstructions(program)) {
    const bool is_sum = program.opcode(id) == Opcode::kAllReduce;
    const bool is_scatter = program.opcode(id) == Opcode::kReduceScatter;
    if (!(is_sum || is_scatter) || !program.shape(id).is_array()) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::optional<SliceGroups> groups, GroupsOver(context, id));
    if (!groups.has_value() || groups->devices_inside() != 1) continue;
    if (is_sum) padding.PadSum(id, *groups);
    if (is_scatter) padding.PadScatter(id, *groups);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
