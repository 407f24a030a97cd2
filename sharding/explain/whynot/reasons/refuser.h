// Refuser: why an update was missed. Two tensors of an op share a factor, and only one has an axis
// along it: the other one missed an update.
//
//   Refuser refuser(log, links, maps, options);
//   refuser.Refuse({actor, factor, /*from=*/0, /*to=*/2, axis});   // none: nothing was missed
//
// The step is replayed as propagation left its tensors; the first of these tests that speaks is the
// reason. An axis after one that was cut is refused because of that one, whatever it would meet
// itself.
//
//   split group, meshes, manual axes, barrier, blocked factor   before any axis is looked at
//   spill          the axis does not fit into a part of a dimension
//   fold           the tensors do not agree on it
//   cuts           replicated, unreduced, closed, not divisible, in use, result cap
//   strided view   taken, but no block of the tensor
//   overwritten    taken, but not for long
//
// Cost: a step of the op, two where a conflict is decided within a step.
// Tested by why_not_test.cc and by the case family explain_whynot.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_REFUSER_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_REFUSER_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/explain/whynot/shard_maps.h"
#include "tessera/sharding/explain/whynot/step_replay.h"

namespace tessera::sharding::explain {

struct MissedUpdate {
  Actor actor;  // that has a rule
  int factor = 0;
  int from = 0;  // tensors of the op
  int to = 0;
  AxisRef axis;  // of the mesh of `from`
};

class Refuser {
 public:
  // To be made before the passes after propagation run.
  Refuser(const EventLog& log, const OpLinks& links, const ShardMaps& maps,
          const propagation::Options& options);

  // None if `from` does not hold the axis along the factor, or if `to` holds all of it.
  std::optional<Refusal> Refuse(const MissedUpdate& missed) const;

 private:
  const EventLog& log_;
  const OpLinks& links_;
  const ShardMaps& maps_;
  const propagation::Options options_;
  // The members of a split group, by each of the constraints that were put in front of them.
  absl::flat_hash_map<propagation::OpId, std::vector<Endpoint>> split_groups_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_REFUSER_H_
