// group-copies: features of a convolution that are split into groups are copied.
//
//   x = f32[16,64,64,128] convert(convolution), g = f32[16,64,64,8,16] reshape(x)
//   ->  g = group-copy(reshape(x))
//
// A convolution lays its features most minor. A group of them would fill a part of a tile, so the compiler copies
// the array into the layout of the groups that pads least: a group norm keeps it for its backward pass.
// Found from outside, by a U-Net with group norms.
// Only for the memory of a program. Cost: linear.

#include "tessera/target/layouts/layout_wishes.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/copies.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

// All dimensions but the last stay, which becomes groups of several.
bool SplitsLastDimension(const layout::Shape& from, const layout::Shape& to) {
  if (from.rank() < 3 || to.rank() != from.rank() + 1) return false;
  const auto before = from.dims().first(from.dims().size() - 1);
  return to.dims().first(before.size()) == before && to.dim(from.rank() - 1) > 1 &&
         to.dim(from.rank()) > 1;
}

// As a convolution asks for: the last dimension most minor, and not the one in front of it next.
bool HasFeaturesMinor(const LayoutWishes& wishes, const layout::Shape& array) {
  const MinorChoice choice = wishes.Of(array);
  const uint64_t last = uint64_t{1} << (array.rank() - 1);
  return choice.minor == last && choice.second != last >> 1;
}

}  // namespace

absl::Status CopyGroups(Context& context) {
  DeviceProgram& program = context.program;
  const LayoutWishes wishes(program.module());
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kReshape) continue;
    const layout::Shape& from = program.shape(program.operand(id, 0));
    if (!SplitsLastDimension(from, program.shape(id)) || !HasFeaturesMinor(wishes, from)) continue;
    PutCopyBehind(program, id, "group-copy");
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
