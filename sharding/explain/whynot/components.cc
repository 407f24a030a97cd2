#include "tessera/sharding/explain/whynot/components.h"

#include "tessera/sharding/explain/whynot/neighbours.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorUse;
using factors::OpShardingRule;

constexpr int32_t kNotWalked = -1;

}  // namespace

Components::Components(const EventLog& log, const OpLinks& links, BlockingOpExits* exits)
    : log_(log), links_(links), exits_(*exits) {
  first_dim_.push_back(0);
  for (SlotId slot = 0; slot < log.num_slots(); ++slot) {
    first_dim_.push_back(first_dim_.back() + links.RankOf(slot));
  }
}

const Component& Components::Of(const Endpoint& at) {
  component_of_.resize(static_cast<size_t>(num_places()) + 1, kNotWalked);
  const int32_t known = component_of_[static_cast<size_t>(Number(at))];
  return known == kNotWalked ? WalkFrom(at) : *components_[static_cast<size_t>(known)];
}

const Component& Components::WalkFrom(const Endpoint& at) {
  components_.push_back(std::make_unique<Component>());
  Component& component = *components_.back();
  component.number = static_cast<int32_t>(components_.size()) - 1;
  std::vector<Endpoint> places;
  Reach(at, &places);
  for (size_t begin = 0, end = 1; begin < end; begin = end, end = places.size()) {
    for (size_t p = begin; p < end; ++p) Spread(Endpoint(places[p]), &places);
    if (places.size() > end) ++component.radius;
  }
  for (const Endpoint& place : places) {
    const ShardingId id = log_.PropagatedId(place.slot);
    if (id != kNoSharding) component.held.emplace(id, place.dim);
    AddExits(place, &component);
  }
  return component;
}

// All places on a wide factor follow from the first one.
void Components::Spread(const Endpoint& at, std::vector<Endpoint>* places) {
  ForEachFactor(links_, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
    if (IsWide(rule, factor) && !spread_.emplace(link.actor.op, link.actor.output, factor).second) {
      return;
    }
    for (const FactorUse& use : rule.uses(factor)) {
      if (use.tensor != link.tensor) Reach(EndpointOf(links_, link.actor, rule, use), places);
    }
  });
}

void Components::Reach(const Endpoint& at, std::vector<Endpoint>* places) {
  int32_t& component = component_of_[static_cast<size_t>(Number(at))];
  if (component != kNotWalked) return;
  component = static_cast<int32_t>(components_.size()) - 1;
  places->push_back(at);
}

void Components::AddExits(const Endpoint& at, Component* component) {
  for (const OpLink& link : links_.Of(at.slot)) {
    exits_.ForEach(link, at.dim, [&](RefusalKind, const Endpoint& far) {
      if (!Has(*component, far)) component->exits.insert(Number(far));
    });
  }
}

}  // namespace tessera::sharding::explain
