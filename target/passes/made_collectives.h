// Which collectives a pass may make one of, and what the new one takes from them.
//
//   TESSERA_ASSIGN_OR_RETURN(const bool alike, ReduceAlike(context, a, b));
//   CopyCollectiveAttributes(context, a, sum);

#ifndef TESSERA_TARGET_PASSES_MADE_COLLECTIVES_H_
#define TESSERA_TARGET_PASSES_MADE_COLLECTIVES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// How a collective counts devices.
struct DeviceMode {
  bool has_channel = false;
  bool uses_global_ids = false;

  friend bool operator==(const DeviceMode& a, const DeviceMode& b) {
    return a.has_channel == b.has_channel && a.uses_global_ids == b.uses_global_ids;
  }
};
DeviceMode ModeOf(const DeviceProgram& program, InstructionId collective);

// Two all-reduces or reduce-scatters: the same reduction, groups and mode. Element types may
// differ.
absl::StatusOr<bool> ReduceAlike(Context& context, InstructionId a, InstructionId b);

// The groups, the reducer, how devices are counted and the metadata; a channel of its own if `from`
// has one. Not: dimensions, shape, provenance.
void CopyCollectiveAttributes(Context& context, InstructionId from, InstructionId to);

// Gives a sum a reducer of its element type.
void SetReducer(DeviceProgram& program, InstructionId sum, Opcode reduction);
using DevicePairs = std::vector<std::pair<int64_t, int64_t>>;

// A permute of `x`, with a channel of its own, to an array of `shape`; each pair is a source and a target.
// `pass` makes it of the collective `from`.
InstructionId AddPermute(Context& context, absl::string_view pass, InstructionId from,
                         ComputationId computation, const layout::Shape& shape, InstructionId x,
                         const DevicePairs& pairs);
// An s64 scalar: the element of `table` whose index is the number of the device that runs it.
// `table` has one element for each device.
InstructionId AddNumberOfDevice(Context& context, ComputationId computation,
                                absl::Span<const int64_t> table);
// The part of `x` along `dimension` that a device keeps, by its place in its group.
InstructionId AddOwnPart(Context& context, InstructionId x, const DeviceGroups::Groups& groups,
                         int64_t dimension);
// Gives a collective a channel of its own, if it has one.
void RenewChannel(Context& context, InstructionId collective);
// Gives a collective these groups, and a channel of its own if it has one.
void SetGroups(Context& context, InstructionId collective, const DeviceGroups::Groups& groups);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_MADE_COLLECTIVES_H_
