// group-copies: features of a convolution that are split, or joined with other dimensions, are copied.
//
//   x = f32[16,64,64,128] convert(convolution), g = f32[16,64,64,8,16] reshape(x)
//   ->  g = group-copy(reshape(x))
//
// A convolution lays its features most minor. A group of them would fill a part of a tile. So the compiler copies the
// array into the layout of the groups that pads least: a group norm keeps it for its backward pass. So it does where
// a detector makes bf16[8,64,64,720] a list of boxes, bf16[8,36864,80], and where the gradient of one comes back.
// Normalized float32 stays in the layout of its groups: the copy back is of what a convolution reads, as bf16. Found
// from outside, by a U-Net and three probes with group norms, and by a feature pyramid. Only for memory and kernels.
// Cost: linear.

#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/copies/copies.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

// As a convolution asks for: the last dimension most minor, and not the one in front of it next.
bool HasFeaturesMinor(const LayoutPreferences& preferences, const layout::Shape& array) {
  const MinorChoice choice = preferences.Of(array);
  const uint64_t last = uint64_t{1} << (array.rank() - 1);
  return choice.minor == last && choice.second != last >> 1;
}

// A reshape of the one to the other: no dimension of `to` is the features of `from`.
bool LosesFeatures(const LayoutPreferences& preferences, const layout::Shape& from,
                   const layout::Shape& to) {
  return from.is_array() && from.rank() >= 3 && to.rank() >= 2 &&
         HasFeaturesMinor(preferences, from) && KeptDimension(from, to, from.rank() - 1) < 0;
}

// Groups of features that become features again: float32 stays in the layout of the groups until it is narrowed.
bool StaysInGroups(const layout::Shape& groups, const layout::Shape& features) {
  return groups.element_type() == layout::ElementType::kF32 && groups.rank() >= 2 &&
         groups.dim(groups.rank() - 2) * groups.dim(groups.rank() - 1) ==
             features.dim(features.rank() - 1);
}

}  // namespace

absl::Status CopyGroups(Context& context) {
  DeviceProgram& program = context.program;
  const LayoutPreferences preferences(program.module());
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kReshape) continue;
    const layout::Shape& from = program.shape(program.operand(id, 0));
    const layout::Shape& to = program.shape(id);
    if (LosesFeatures(preferences, from, to) ||
        (LosesFeatures(preferences, to, from) && !StaysInGroups(from, to)))
      PutCopyAfter(program, id, "group-copy");
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
