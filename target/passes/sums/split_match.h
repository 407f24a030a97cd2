// Where each device keeps its own part of a sum: an all-reduce and the dynamic-slice after it.
//
//   std::optional<KeptPart> split = FindKeptPart(context, &offsets, all_reduce, groups);
//   split->dimension;     // which dimension is split
//
// Tested by collective_passes_test.cc.

#ifndef TESSERA_TARGET_PASSES_SUMS_SPLIT_MATCH_H_
#define TESSERA_TARGET_PASSES_SUMS_SPLIT_MATCH_H_

#include <cstdint>
#include <optional>

#include "tessera/target/pass.h"
#include "tessera/target/program/device_offsets.h"

namespace tessera::target {

struct KeptPart {
  InstructionId slice = kNoId;
  InstructionId reshape = kNoId;  // between the sum and the slice; kNoId: none
  int64_t dimension = 0;          // of the sum, in front of the reshape
  int64_t parts = 1;              // devices of a group
  int64_t part_size = 1;
};

// Of an all-reduce with one array and one user. Nothing if devices do not keep the parts in the
// order of their groups.
std::optional<KeptPart> FindKeptPart(const Context& context, DeviceOffsets* offsets,
                                     InstructionId all_reduce, GroupsId groups);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_SUMS_SPLIT_MATCH_H_
