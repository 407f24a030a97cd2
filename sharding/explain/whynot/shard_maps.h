// ShardMaps: which tensors lie in a shard_map, and on which axes that is manual.
//
//   ShardMaps maps(log);
//   maps.Around(slot, "a");        // the shard_map around it that is manual on 'a', or null
//   maps.Of(edge);                 // the one whose border the edge is, or null
//
// To be made before the passes after propagation run. Tested by the case family explain_whynot.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_SHARD_MAPS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_SHARD_MAPS_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

struct ShardMap {
  std::vector<std::string> axes;          // manual ones
  hlo::InstructionId begin = hlo::kNoId;  // where arrays become local
  const ShardMap* around = nullptr;
};

class ShardMaps {
 public:
  explicit ShardMaps(const EventLog& log);

  const ShardMap* Around(SlotId slot, absl::string_view axis) const;
  const ShardMap* Of(propagation::EdgeId edge) const;

 private:
  const ShardMap* MapOf(const passes::Op* manual);

  const EventLog& log_;
  std::deque<ShardMap> maps_;
  absl::flat_hash_map<const passes::Op*, const ShardMap*> by_op_;
  std::vector<const ShardMap*> by_value_;
  std::vector<const ShardMap*> by_edge_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_SHARD_MAPS_H_
