// pad-slice-sums: what crosses between slices has the tiles of its layout.
//
//   s = f32[100,3] all-reduce(x), groups {0,8}   ->  s = the first 300 of f32[512] all-reduce(pad(x)), groups {0,8}
//
// A matrix has the layout that operations ask for, as a table of which rows are gathered; a part that an all-gather puts
// together again has that of the whole. Other arrays have the one that pads least.
// Found by 40 probes, and in the final modules of 50 training steps. Cost: linear. Tested by ../multislice_test.cc.

#include <optional>

#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_wishes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

class SumPadding {
 public:
  explicit SumPadding(Context& context)
      : context_(context),
        program_(context.program),
        sizes_(*context.target.chip),
        wishes_(context.program.module()) {}

  void Pad(InstructionId sum, const SliceGroups& groups) {
    const layout::Shape shape = program_.shape(sum);
    const int64_t elements = *shape.NumElements(), padded = TiledElements(LaidOut(sum));
    if (padded == elements) return;
    SliceCollectives made(context_, "pad-slice-sums", sum, groups);
    const InstructionId flat =
        AddReshape(program_, program_.operand(sum, 0), Resized(shape, {elements}));
    const InstructionId padded_sum = made.SumAcross(PadWithZeros(program_, flat, {padded}));
    context_.origins.Copy(sum, padded_sum);
    made.Replace(AddReshape(program_, SliceAlong(program_, padded_sum, 0, 0, elements),
                            Resized(shape, shape.dims())));
  }

 private:
  layout::Shape LaidOut(InstructionId sum) const {
    const layout::Shape& shape = program_.shape(sum);
    if (shape.rank() != 2) return sizes_.Laid(shape);
    const InstructionId user = program_.OnlyUser(sum);
    const bool is_part = user != kNoId && program_.opcode(user) == Opcode::kAllGather;
    return sizes_.Laid(shape, wishes_.Of(is_part ? program_.shape(user) : shape));
  }

  Context& context_;
  DeviceProgram& program_;
  const ArraySizes sizes_;
  const LayoutWishes wishes_;
};

}  // namespace

absl::Status PadSliceSums(Context& context) {
  DeviceProgram& program = context.program;
  if (context.target.slices == 1) return absl::OkStatus();
  SumPadding padding(context);
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kAllReduce || !program.shape(id).is_array()) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::optional<SliceGroups> groups, GroupsOver(context, id));
    if (groups.has_value() && groups->devices_inside() == 1) padding.Pad(id, *groups);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
