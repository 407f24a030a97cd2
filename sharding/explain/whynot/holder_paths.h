// The ways from an axis to all dimensions that lack it, found at once.
//
//   HolderPaths paths(log, links, {"a"});
//   for (auto step = paths.Next(slot, dim); step.has_value(); ..) {
//     step->at;             // the next place on the way from the dimension to the axis
//     step->is_holder;      // it has the axis: the way ends
//   }
//
// One breadth-first search from all tensors that have the axis gives each dimension its distance;
// a way goes down the distances. These are the ways that Frontier finds for each dimension alone:
// of several neighbours at the same distance the first one in the order of ops and factors.
//
//   x -> v1 -> .. -> v1000, x has "a":    distances 1 .. 1000, and Next(v7) is v6
//
// Ways through blocking ops are not known here. Cost: linear in the program for all ways together, and
// cheap for each step. Tested by
// pipeline/explain/verdicts_test.cc against Frontier.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_HOLDER_PATHS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_HOLDER_PATHS_H_

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/sharding/explain/whynot/asked_axes.h"
#include "tessera/sharding/explain/whynot/neighbours.h"
#include "tessera/sharding/explain/whynot/op_links.h"

namespace tessera::sharding::explain {

class HolderPaths {
 public:
  struct Step {
    Endpoint at;
    bool is_holder = false;
  };

  // The axis as Frontier is asked for it.
  HolderPaths(const EventLog& log, const OpLinks& links, const AskedAxis& axis);

  // None where no way leads to the axis but through blocking ops.
  std::optional<Step> Next(SlotId slot, int dim);

 private:
  // Op, output and factor; or a group and a dimension.
  using Key = std::tuple<propagation::OpId, int, int>;
  struct Nearest {
    int32_t distance = 0;           // the least on the factor, or in the group
    std::optional<Endpoint> first;  // at that distance; none: not yet looked for
  };
  int32_t& DistanceAt(const Endpoint& at) {
    return distance_[static_cast<size_t>(first_dim_[static_cast<size_t>(at.slot)] + at.dim)];
  }
  Endpoint PlaceOf(SlotId slot, int dim) const;
  bool Has(const Endpoint& at, AxisRef* axis) const;
  std::vector<Endpoint> HoldersOf(Actor actor, const factors::OpShardingRule& rule, int factor);
  void LookAtOp(Actor actor, const factors::OpShardingRule& rule);
  std::optional<Endpoint> FirstHolder(const Endpoint& at);
  void Spread(const Endpoint& at, std::vector<Endpoint>* next);
  template <typename ForEachPlace>
  std::optional<Endpoint> FirstAt(int32_t wanted, const Key& key, ForEachPlace for_each_place);
  std::optional<Endpoint> FirstNearer(const Endpoint& at);
  absl::Span<const propagation::ValueId> GroupOf(const Endpoint& at) const;
  static Key KeyOf(const OpLink& link, int factor) {
    return {link.actor.op, link.actor.output, factor};
  }
  Key KeyOfGroup(const Endpoint& at) const;

  const EventLog& log_;
  const OpLinks& links_;
  const AskedAxes asked_;
  MissedUpdateCheck missed_;
  std::vector<int32_t> first_dim_;  // by slot, and one more: numbers of (slot, dimension)
  std::vector<int32_t> distance_;   // by that number; kFar: none
  absl::flat_hash_set<std::pair<propagation::OpId, int>> looked_at_;  // ops and their outputs
  // By factor and tensor: the first holder from which that tensor could have got the axis.
  absl::flat_hash_map<std::pair<Key, int>, Endpoint> first_holders_;
  absl::flat_hash_map<Key, Nearest> nearest_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_HOLDER_PATHS_H_
