// The replacement of a gathered array that is padded and cut (all_gather_pad_ds_simplifier.cc): permutes to the
// device of each group that has it.

#ifndef TESSERA_TARGET_GPU_GATHERS_SENT_TO_TAKER_H_
#define TESSERA_TARGET_GPU_GATHERS_SENT_TO_TAKER_H_

#include <cstddef>
#include <cstdint>

#include "tessera/target/pass.h"
#include "tessera/target/program/device_groups.h"

namespace tessera::target {

// A dynamic-slice of a padded all-gather.
struct Padded {
  InstructionId slice = kNoId, gather = kNoId;
  int64_t dimension = 0;
  int64_t begin = 0;  // of what is gathered, among the zeros
};

// The device of each group whose part has all that is gathered.
struct Taker {
  size_t place = 0;    // in the group
  int64_t offset = 0;  // of what is gathered, in its part
};

// Zeros on all other devices.
InstructionId SendToTaker(Context& context, const Padded& padded,
                          const DeviceGroups::Groups& groups, const Taker& taker);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_GATHERS_SENT_TO_TAKER_H_
