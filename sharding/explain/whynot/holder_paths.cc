#include "tessera/sharding/explain/whynot/holder_paths.h"

#include <algorithm>
#include <limits>

namespace tessera::sharding::explain {
namespace {

using factors::FactorUse;
using factors::OpShardingRule;

constexpr int32_t kFar = std::numeric_limits<int32_t>::max();

}  // namespace

HolderPaths::HolderPaths(const EventLog& log, const OpLinks& links, const AskedAxis& axis)
    : log_(log), links_(links), asked_(log, {axis}), missed_(log, links) {
  first_dim_.push_back(0);
  for (SlotId slot = 0; slot < log.num_slots(); ++slot) {
    first_dim_.push_back(first_dim_.back() + links.RankOf(slot));
  }
  distance_.assign(static_cast<size_t>(first_dim_.back()) + 1, kFar);
  std::vector<Endpoint> level, next;
  for (SlotId slot = 0; slot < log.num_slots(); ++slot) {
    for (int dim = 0; dim < links.RankOf(slot); ++dim) {
      const Endpoint at = PlaceOf(slot, dim);
      if (!FirstHolder(at).has_value()) continue;
      DistanceAt(at) = 1;
      level.push_back(at);
    }
  }
  for (; !level.empty(); level = std::move(next), next.clear()) {
    for (const Endpoint& at : level) Spread(at, &next);
  }
}

std::optional<HolderPaths::Step> HolderPaths::Next(SlotId slot, int dim) {
  const Endpoint at = PlaceOf(slot, dim);
  const int32_t distance = DistanceAt(at);
  if (distance == kFar) return std::nullopt;
  if (distance == 1) return Step{*FirstHolder(at), true};
  const std::optional<Endpoint> nearer = FirstNearer(at);
  if (!nearer.has_value()) return std::nullopt;
  return Step{*nearer, false};
}

Endpoint HolderPaths::PlaceOf(SlotId slot, int dim) const {
  Endpoint at;
  at.slot = slot;
  at.dim = dim;
  at.value = log_.IsOutput(slot) ? propagation::kNone : slot;
  return at;
}

// The axis as one of the tensor's mesh.
bool HolderPaths::Has(const Endpoint& at, AxisRef* axis) const {
  const TensorSharding* sharding = log_.Propagated(at.slot);
  if (sharding == nullptr || !asked_.Among(*sharding, at.dim, 0)) return false;
  *axis = *asked_.In(sharding->mesh_id(), 0);
  return true;
}

// Of tensors with the same parts of the axis the first two, since one of them may be the tensor
// that lacks it: the others add nobody.
std::vector<Endpoint> HolderPaths::HoldersOf(Actor actor, const OpShardingRule& rule, int factor) {
  struct Known {
    AxisList parts;
    int tensor = 0;  // that had them last
    int tensors = 0;
  };
  std::vector<Endpoint> holders;
  std::vector<Known> known;
  AxisRef axis;
  for (const FactorUse& use : rule.uses(factor)) {
    const Endpoint at = EndpointOf(links_, actor, rule, use);
    if (!Has(at, &axis)) continue;
    const AxisList parts = missed_.PartsOf({actor, factor, at.tensor, at.tensor, axis});
    auto same = std::find_if(known.begin(), known.end(),
                             [&](const Known& one) { return one.parts == parts; });
    if (same == known.end()) same = known.insert(known.end(), {parts, at.tensor, 0});
    if (same->tensors == 0 || same->tensor != at.tensor) ++same->tensors;
    same->tensor = at.tensor;
    if (same->tensors <= 2) holders.push_back(at);
  }
  return holders;
}

// All factors at once, with one projection: an op may have thousands of tensors.
void HolderPaths::LookAtOp(Actor actor, const OpShardingRule& rule) {
  if (!looked_at_.emplace(actor.op, actor.output).second) return;
  for (int factor = 0; factor < rule.num_factors(); ++factor) {
    const std::vector<Endpoint> holders = HoldersOf(actor, rule, factor);
    if (holders.empty()) continue;
    for (const FactorUse& use : rule.uses(factor)) {
      for (const Endpoint& holder : holders) {
        AxisRef axis;
        if (holder.tensor == use.tensor || !Has(holder, &axis)) continue;
        if (!missed_.IsMissed({actor, factor, holder.tensor, use.tensor, axis})) continue;
        first_holders_.try_emplace({{actor.op, actor.output, factor}, use.tensor}, holder);
        break;
      }
    }
  }
}

// The first neighbour from which the axis could have come.
std::optional<Endpoint> HolderPaths::FirstHolder(const Endpoint& at) {
  std::optional<Endpoint> first;
  ForEachFactor(links_, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
    if (first.has_value()) return;
    LookAtOp(link.actor, rule);
    const auto holder = first_holders_.find({KeyOf(link, factor), link.tensor});
    if (holder != first_holders_.end()) first = holder->second;
  });
  return first;
}

// The first that stands on a factor, or in a group, is nearest: who comes later adds nobody.
void HolderPaths::Spread(const Endpoint& at, std::vector<Endpoint>* next) {
  const int32_t distance = DistanceAt(at);
  const auto reach = [&](const Endpoint& to) {
    if (DistanceAt(to) != kFar) return;
    DistanceAt(to) = distance + 1;
    next->push_back(to);
  };
  ForEachFactor(links_, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
    if (!nearest_.try_emplace(KeyOf(link, factor), Nearest{distance, {}}).second) return;
    for (const FactorUse& use : rule.uses(factor)) {
      if (use.tensor != link.tensor) reach(EndpointOf(links_, link.actor, rule, use));
    }
  });
  const absl::Span<const propagation::ValueId> members = GroupOf(at);
  if (members.empty()) return;
  if (!nearest_.try_emplace(KeyOfGroup(at), Nearest{distance, {}}).second) return;
  for (const propagation::ValueId member : members) reach(PlaceOf(log_.SlotOf(member), at.dim));
}

// Of the places, the first that is as near as any of them; none if that is not `wanted`.
template <typename ForEachPlace>
std::optional<Endpoint> HolderPaths::FirstAt(int32_t wanted, const Key& key,
                                             ForEachPlace for_each_place) {
  const auto known = nearest_.find(key);
  if (known == nearest_.end() || known->second.distance != wanted) return std::nullopt;
  std::optional<Endpoint>& first = known->second.first;
  if (!first.has_value()) {
    for_each_place([&](const Endpoint& place) {
      if (!first.has_value() && DistanceAt(place) == wanted) first = place;
    });
  }
  return first;
}

std::optional<Endpoint> HolderPaths::FirstNearer(const Endpoint& at) {
  const int32_t wanted = DistanceAt(at) - 1;
  std::optional<Endpoint> first;
  ForEachFactor(links_, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
    if (first.has_value()) return;
    first = FirstAt(wanted, KeyOf(link, factor), [&](const auto& visit) {
      for (const FactorUse& use : rule.uses(factor)) {
        visit(EndpointOf(links_, link.actor, rule, use));
      }
    });
  });
  const absl::Span<const propagation::ValueId> members = GroupOf(at);
  if (first.has_value() || members.empty()) return first;
  return FirstAt(wanted, KeyOfGroup(at), [&](const auto& visit) {
    for (const propagation::ValueId member : members) visit(PlaceOf(log_.SlotOf(member), at.dim));
  });
}

absl::Span<const propagation::ValueId> HolderPaths::GroupOf(const Endpoint& at) const {
  if (log_.IsOutput(at.slot)) return {};
  const propagation::GroupId group = log_.numbered().group(at.slot);
  if (group == propagation::kNone) return {};
  return log_.numbered().groups()[static_cast<size_t>(group)];
}

HolderPaths::Key HolderPaths::KeyOfGroup(const Endpoint& at) const {
  constexpr int kGroup = -2;  // no output
  return {log_.numbered().group(at.slot), kGroup, at.dim};
}

}  // namespace tessera::sharding::explain
