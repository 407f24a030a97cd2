// The devices of collectives: which of them work together, each list kept once.
//
//   DeviceGroups groups(num_partitions);
//   GroupsId id = *groups.Of(module, collective);   // replica_groups= in any of its spellings
//   groups.list(id);            // {{0, 1, 2, 3}, {4, 5, 6, 7}}, in the order of the text
//   groups.Add({{0, 4}, {1, 5}});
//   groups.Text(id);            // "{{0,1,2,3},{4,5,6,7}}"
//
// Equal ids <=> equal lists, their order included; how the text spells them does not count. No
// groups at all are one group of all devices. Source-target pairs of a collective-permute are lists
// of two. Cost: linear in the devices, once for each distinct text. Tested by
// device_groups_test.cc.

#ifndef TESSERA_TARGET_PROGRAM_DEVICE_GROUPS_H_
#define TESSERA_TARGET_PROGRAM_DEVICE_GROUPS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

using GroupsId = uint32_t;

class DeviceGroups {
 public:
  using Groups = std::vector<std::vector<int64_t>>;

  explicit DeviceGroups(int64_t num_devices) : num_devices_(num_devices) {}

  // Of a collective. InvalidArgument, with the offset of the instruction, for groups that cannot be
  // listed (above 2^24 devices) or that name a device which is not there.
  absl::StatusOr<GroupsId> Of(const hlo::Module& module, hlo::InstructionId id);
  GroupsId Add(Groups groups);

  const Groups& list(GroupsId id) const { return *lists_[id]; }
  // Devices in a group; 0 where groups differ in size.
  int64_t SizeOf(GroupsId id) const { return sizes_[id]; }
  std::string Text(GroupsId id) const;
  int64_t num_devices() const { return num_devices_; }

 private:
  // Shared by copies.
  using Kept = std::shared_ptr<const Groups>;
  struct ContentHash {
    size_t operator()(const Kept& groups) const { return absl::HashOf(*groups); }
  };
  struct SameContent {
    bool operator()(const Kept& a, const Kept& b) const { return *a == *b; }
  };

  absl::StatusOr<Groups> Read(const hlo::Module& module, hlo::InstructionId id,
                              absl::string_view text) const;

  const int64_t num_devices_;
  std::vector<Kept> lists_;     // by GroupsId
  std::vector<int64_t> sizes_;  // by GroupsId
  absl::flat_hash_map<Kept, GroupsId, ContentHash, SameContent> ids_;
  absl::flat_hash_map<std::string, GroupsId> pairs_by_text_, groups_by_text_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_DEVICE_GROUPS_H_
