// Components: which dimensions of tensors are linked with each other by factors, without blocking ops.
//
//   Components components(log, links, &exits);
//   const Component& c = components.Of(at);      // walked when one of its places is first asked about
//   c.held;                                      // the shardings that its tensors have
//   components.Has(c, other);                    // other is a place of it
//   c.exits.contains(components.Number(far));    // one blocking op leads from it to far
//
//   y = add(v, w), z = dot(y, u)      v:0, w:0, y:0, z:0 are one component, where z has dimension 0 of y;
//                                     y:1 and u:0 are another one, which a blocking op separates from z
//
// A place is a dimension of a tensor. Sharding groups are not looked at: they lead from a member to the result of a
// data-flow edge from which nothing leads back. A search (frontier.h) asks here what it would learn from a walk through
// the whole component: that no place of it has the axis, and what lies after its blocking ops. Cost: linear in the
// component, once. Tested by frontier_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_COMPONENTS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_COMPONENTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/blocking_op_exits.h"
#include "tessera/sharding/explain/whynot/op_links.h"

namespace tessera::sharding::explain {

struct Component {
  int32_t number = 0;
  int32_t radius =
      0;  // in steps, from one of its places: none is further from another than twice that
  absl::flat_hash_set<std::pair<ShardingId, int>> held;  // after propagation; and the dimension
  absl::flat_hash_set<int32_t>
      exits;  // numbers of places of other components, one blocking op away
};

class Components {
 public:
  Components(const EventLog& log, const OpLinks& links, BlockingOpExits* exits);

  int32_t Number(const Endpoint& at) const {
    return first_dim_[static_cast<size_t>(at.slot)] + at.dim;
  }
  int32_t num_places() const { return first_dim_.back(); }

  const Component& Of(const Endpoint& at);
  bool Has(const Component& component, const Endpoint& at) const {
    return component_of_[static_cast<size_t>(Number(at))] == component.number;
  }

 private:
  const Component& WalkFrom(const Endpoint& at);
  void Spread(const Endpoint& at, std::vector<Endpoint>* places);
  void Reach(const Endpoint& at, std::vector<Endpoint>* places);
  void AddExits(const Endpoint& at, Component* component);

  const EventLog& log_;
  const OpLinks& links_;
  BlockingOpExits& exits_;
  std::vector<int32_t> first_dim_;     // by slot, and one more: numbers of places
  std::vector<int32_t> component_of_;  // by number of the place; -1: not walked
  std::vector<std::unique_ptr<Component>> components_;
  absl::flat_hash_set<std::tuple<propagation::OpId, int, int>> spread_;  // wide factors
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_COMPONENTS_H_
