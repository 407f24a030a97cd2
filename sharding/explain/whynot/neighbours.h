// The dimensions one step from a dimension of a tensor: all that share a factor of an op with it.
//
//   ForEachFactor(links, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
//     for (const FactorUse& use : rule.uses(factor)) {
//       if (use.tensor != link.tensor) EndpointOf(links, link.actor, rule, use);
//     }
//   });
//   IsWide(rule, factor);     // so many tensors are on it that only the first of them visits all others
//   MissedUpdateCheck missed(log, links);
//   missed.IsMissed(update);      // `from` has the axis on that factor, and `to` lacks a part of it
//   missed.PartsOf(update);       // what `from` has of it there
//
// A projection is kept until another op is asked about. Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_NEIGHBOURS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_NEIGHBOURS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refuser.h"

namespace tessera::sharding::explain {

// In the order of the links, then of the factors in the dimension.
template <typename Visit>
void ForEachFactor(const OpLinks& links, const Endpoint& at, Visit visit) {
  for (const OpLink& link : links.Of(at.slot)) {
    const factors::OpShardingRule* rule = links.RuleOf(link.actor);
    if (rule == nullptr) continue;
    for (const int32_t factor : rule->factors(link.tensor, at.dim)) visit(link, *rule, factor);
  }
}

inline Endpoint EndpointOf(const OpLinks& links, Actor actor, const factors::OpShardingRule& rule,
                           const factors::FactorUse& use) {
  return links.Tensor(actor, use.tensor, rule.dim_of_cell(use.tensor, use.cell));
}

inline bool IsWide(const factors::OpShardingRule& rule, int factor) {
  constexpr size_t kWide = 16;
  return rule.uses(factor).size() >= kWide;
}

class MissedUpdateCheck {
 public:
  MissedUpdateCheck(const EventLog& log, const OpLinks& links) : log_(log), links_(links) {}

  // On that factor, not elsewhere in its dimension; and more of it than the other one has.
  bool IsMissed(const MissedUpdate& missed);

  // Nothing where the tensors of the op have no mesh in common: all are missed then.
  AxisList PartsOf(const MissedUpdate& missed);

 private:
  void Project(Actor actor);

  const EventLog& log_;
  const OpLinks& links_;
  std::optional<Actor> projected_;  // what follows is of it
  MeshState state_ = MeshState::kNone;
  factors::FactorTable table_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_NEIGHBOURS_H_
