// The devices of a collective as HLO text.
//
//   GroupsText({{0, 4}, {1, 5}, {2, 6}, {3, 7}})    // "[4,2]<=[2,4]T(1,0)"
//   PairsText({{0, 1}, {1, 0}})                     // "{{0,1},{1,0}}"
//
// XLA: IotaReplicaGroupList::ToString and ReplicaGroupsToString.

#ifndef TESSERA_SHARDING_PARTITION_DEVICE_TEXT_H_
#define TESSERA_SHARDING_PARTITION_DEVICE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "tessera/sharding/partition/device_axes.h"

namespace tessera::sharding::partition {

// As an iota where they are one, else all devices in braces. Cost: linear in the devices.
std::string GroupsText(const Groups& groups);
std::string PairsText(const Pairs& pairs);
// Writes the number, and gives its end; up to 24 characters from `to` on may be overwritten.
char* PutNumber(int64_t number, char* to);
// The literal of a number for each device: "{0, 0, 1, 1}".
std::string NumbersText(absl::Span<const int32_t> numbers);
// The same of values[i] for each of these indices, and of `without` for -1. Each value is written
// once: some machine instructions a device.
std::string NumbersText(absl::Span<const int32_t> indices, absl::Span<const int32_t> values,
                        int32_t without);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_DEVICE_TEXT_H_
