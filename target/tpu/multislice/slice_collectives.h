// The collectives that a collective over several slices becomes.
//
//   SliceCollectives made(context, "split-ici-dcn", sum, groups);
//   made.Replace(made.SumAcross(made.SumInside(x)));
//
// Each has the reducer and metadata of the one that it stands for, and a channel of its own. Tested by
// ../multislice_test.cc.

#ifndef TESSERA_TARGET_TPU_MULTISLICE_SLICE_COLLECTIVES_H_
#define TESSERA_TARGET_TPU_MULTISLICE_SLICE_COLLECTIVES_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/shape.h"
#include "tessera/target/pass.h"
#include "tessera/target/tpu/multislice/slice_groups.h"

namespace tessera::target {

// Whether a pair of a permute leaves its slice.
bool Crosses(const Target& target, const std::pair<int64_t, int64_t>& pair);
// None for groups of one slice, or of unequal shares of several.
std::optional<SliceGroups> SliceGroupsOf(const Context& context, GroupsId groups);
// The same of a collective.
absl::StatusOr<std::optional<SliceGroups>> GroupsOver(Context& context, InstructionId collective);

// Whether it has devices of several slices. False for what is no collective.
absl::StatusOr<bool> SpansSlices(Context& context, InstructionId id);

class SliceCollectives {
 public:
  // All must outlive it.
  SliceCollectives(Context& context, absl::string_view pass, InstructionId from,
                   const SliceGroups& groups)
      : context_(context), program_(context.program), pass_(pass), from_(from), groups_(groups) {}

  InstructionId SumInside(InstructionId x);
  InstructionId SumAcross(InstructionId x);
  InstructionId GatherInside(InstructionId x, int64_t dimension);
  InstructionId GatherAcross(InstructionId x, int64_t dimension);
  InstructionId ScatterInside(InstructionId x, int64_t dimension);
  InstructionId ScatterAcross(InstructionId x, int64_t dimension);
  // The part of `x` that a device keeps of those of its slice, in the order of the group.
  InstructionId OwnPart(InstructionId x, int64_t dimension);
  void Replace(InstructionId result);

 private:
  InstructionId Add(Opcode opcode, InstructionId x, const layout::Shape& shape,
                    const DeviceGroups::Groups& groups);
  InstructionId AddAlong(Opcode opcode, InstructionId x, int64_t dimension, int64_t size,
                         const DeviceGroups::Groups& groups);

  Context& context_;
  DeviceProgram& program_;
  const absl::string_view pass_;
  const InstructionId from_;
  const SliceGroups& groups_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_MULTISLICE_SLICE_COLLECTIVES_H_
