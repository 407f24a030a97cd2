// The replica groups of the user's own collectives, as lists of devices; each text is parsed once.
//
//   GivenGroups given;
//   given.Of("[2,2]<=[4]", 4);            // {0, 1}, {2, 3}
//   given.Of("mesh['x'=16777216] {'x'}", 8);   // nothing: too many devices to list
//
// A line of HLO can name millions of devices; all texts together may list kMostListed. Tested by
// testing/hostile/found_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_GIVEN_GROUPS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_GIVEN_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/partition/shared_list.h"

namespace tessera::sharding::partition {

class GivenGroups {
 public:
  using Groups = SharedList<std::vector<int64_t>>;
  static constexpr int64_t kMostListed = int64_t{1} << 22;

  // The value of replica_groups=, which must live as long as this; without groups in it, one of all
  // partitions. Nullopt: axes that are not in the mesh, or too many devices.
  std::optional<Groups> Of(absl::string_view text, int64_t num_partitions);

 private:
  absl::flat_hash_map<absl::string_view, Groups> known_;
  int64_t listed_ = 0;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_GIVEN_GROUPS_H_
