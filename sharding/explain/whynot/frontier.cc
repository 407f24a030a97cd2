#include "tessera/sharding/explain/whynot/frontier.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/explain/whynot/cost_queue.h"
#include "tessera/sharding/explain/whynot/neighbours.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorUse;
using factors::OpShardingRule;

constexpr int64_t kWall = 1000;
constexpr size_t kWide = 16;  // tensors on a factor
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// A (tensor, dimension) on the way, and how the search came there.
struct Node {
  Endpoint at;
  int parent = -1;
  int64_t cost = 0;
  int wall = -1;  // the first on the way
  Actor through;  // the wall that was the last step, if one was
};

}  // namespace

class FrontierSearch {
 public:
  FrontierSearch(Frontier* frontier, const AskedAxes& asked)
      : f_(*frontier),
        log_(frontier->log_),
        links_(frontier->links_),
        asked_(asked),
        wishes_(frontier->log_, frontier->links_),
        best_(static_cast<size_t>(asked.size()), kNever),
        end_(static_cast<size_t>(asked.size()), -1),
        reached_(static_cast<size_t>(asked.size())) {
    ++f_.searches_;
  }

  std::vector<Reached> Run(SlotId slot, int dim) {
    Endpoint start;
    start.slot = slot;
    start.dim = dim;
    start.value = log_.IsOutput(slot) ? propagation::kNone : slot;
    Visit({start, -1, 0, -1, {}});
    // Nodes are visited in the order of their distance.
    for (size_t n = 0; n < nodes_.size() && !IsDone(nodes_[n].cost); ++n) {
      FollowRules(static_cast<int>(n));
    }
    if (!IsDone(kNever)) GoThroughWalls();
    for (size_t i = 0; i < reached_.size(); ++i) SetPath(i);
    return std::move(reached_);
  }

 private:
  // Nothing that lies behind this cost can be nearer for any axis.
  bool IsDone(int64_t cost) const {
    return absl::c_all_of(best_, [&](int64_t best) { return best != kNever && best <= cost; });
  }

  int32_t Number(const Endpoint& at) const {
    return f_.first_dim_[static_cast<size_t>(at.slot)] + at.dim;
  }
  bool WasVisited(const Endpoint& at) const {
    return f_.visited_[static_cast<size_t>(Number(at))] == f_.searches_;
  }
  // The number of the node; -1 if it was visited before.
  int Visit(const Node& node) {
    if (WasVisited(node.at)) return -1;
    f_.visited_[static_cast<size_t>(Number(node.at))] = f_.searches_;
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }

  // --- along factors -----------------------------------------------------------------------------

  // Visits the neighbours along all factors of the node's dimension.
  template <typename OnNew>
  void FollowRules(int n, OnNew on_new) {
    const Endpoint at = nodes_[static_cast<size_t>(n)].at;
    ForEachFactor(links_, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
      if (rule.uses(factor).size() < kWide) {
        FollowFactor(n, link, rule, factor, on_new);
      } else {
        FollowWideFactor(n, link, rule, factor, on_new);
      }
    });
    const bool is_value = !log_.IsOutput(at.slot);
    if (is_value && log_.numbered().group(at.slot) != propagation::kNone) FollowGroup(n, on_new);
  }
  void FollowRules(int n) {
    FollowRules(n, [](int) {});
  }

  template <typename OnNew>
  void FollowFactor(int n, const OpLink& link, const OpShardingRule& rule, int factor,
                    OnNew on_new) {
    for (const FactorUse& use : rule.uses(factor)) {
      if (use.tensor == link.tensor) continue;
      const Endpoint to = EndpointOf(links_, link.actor, rule, use);
      Look(n, link, factor, to);
      const Node& node = nodes_[static_cast<size_t>(n)];
      const int added = Visit({to, n, node.cost + 1, node.wall, {}});
      if (added >= 0) on_new(added);
    }
  }

  // The first that stands on it visits all others; these look at those only that have an axis, and
  // at the first one.
  template <typename OnNew>
  void FollowWideFactor(int n, const OpLink& link, const OpShardingRule& rule, int factor,
                        OnNew on_new) {
    const auto [known, is_new] =
        wide_factors_.try_emplace({link.actor.op, link.actor.output, factor});
    if (is_new) {
      for (const FactorUse& use : rule.uses(factor)) {
        const Endpoint at = EndpointOf(links_, link.actor, rule, use);
        if (use.tensor == link.tensor || HasAsked(at)) known->second.push_back(at);
      }
      FollowFactor(n, link, rule, factor, on_new);
      return;
    }
    for (const Endpoint& to : known->second) {
      if (to.tensor == link.tensor) continue;
      Look(n, link, factor, to);
      const Node& node = nodes_[static_cast<size_t>(n)];
      const int added = Visit({to, n, node.cost + 1, node.wall, {}});
      if (added >= 0) on_new(added);
    }
  }

  bool HasAsked(const Endpoint& at) { return WithAsked(at.slot, at.dim) != nullptr; }

  // The sharding of a tensor whose dimension has an axis asked for; null for most. Tensors are many,
  // and their shardings few.
  const TensorSharding* WithAsked(SlotId slot, int dim) {
    const ShardingId id = log_.PropagatedId(slot);
    if (id == kNoSharding) return nullptr;
    if (has_asked_.size() <= static_cast<size_t>(id))
      has_asked_.resize(static_cast<size_t>(id) + 1);
    std::vector<bool>& dims = has_asked_[static_cast<size_t>(id)];
    const TensorSharding* sharding = log_.program().Find(id);
    if (dims.empty()) {
      for (int d = 0; d < sharding->rank(); ++d) dims.push_back(HasAsked(*sharding, d));
    }
    // That of one device has no dimensions.
    const bool has = static_cast<size_t>(dim) < dims.size() && dims[static_cast<size_t>(dim)];
    return has ? sharding : nullptr;
  }

  bool HasAsked(const TensorSharding& sharding, int dim) const {
    for (int i = 0; i < asked_.size(); ++i) {
      if (asked_.Among(sharding, dim, i)) return true;
    }
    return false;
  }

  template <typename OnNew>
  void FollowGroup(int n, OnNew on_new) {
    const Endpoint at = nodes_[static_cast<size_t>(n)].at;
    const propagation::GroupId group = log_.numbered().group(at.slot);
    // From its first member all others are visited.
    if (!followed_groups_.insert({group, at.dim}).second) return;
    for (const propagation::ValueId member : log_.numbered().groups()[static_cast<size_t>(group)]) {
      const Node& node = nodes_[static_cast<size_t>(n)];
      Endpoint to = at;
      to.slot = log_.SlotOf(member);
      to.value = member;
      const int added = Visit({to, n, node.cost + 1, node.wall, {}});
      if (added >= 0) on_new(added);
    }
  }

  // Notes a wish if the neighbour has an axis asked for on that factor.
  void Look(int n, const OpLink& link, int factor, const Endpoint& neighbour) {
    const TensorSharding* sharding = WithAsked(neighbour.slot, neighbour.dim);
    if (sharding == nullptr) return;
    const int64_t cost = nodes_[static_cast<size_t>(n)].cost + 1;
    for (int i = 0; i < asked_.size(); ++i) {
      if (cost > best_[static_cast<size_t>(i)] || !asked_.Among(*sharding, neighbour.dim, i)) {
        continue;
      }
      const AxisRef axis = *asked_.In(sharding->mesh_id(), i);
      const Wish wish = {link.actor, factor, neighbour.tensor, link.tensor, axis};
      if (wishes_.IsWish(wish)) Note(i, n, cost, wish);
    }
  }

  void Note(int i, int n, int64_t cost, const Wish& wish) {
    Reached& reached = reached_[static_cast<size_t>(i)];
    if (cost < best_[static_cast<size_t>(i)]) {
      best_[static_cast<size_t>(i)] = cost;
      end_[static_cast<size_t>(i)] = n;
      reached = Reached();
      const int wall = nodes_[static_cast<size_t>(n)].wall;
      if (wall >= 0) reached.wall = walls_[static_cast<size_t>(wall)];
      source_of_[i] =
          links_.Tensor(wish.actor, wish.from,
                        DimOfCell(*links_.RuleOf(wish.actor), wish.from,
                                  links_.RuleOf(wish.actor)->cell(wish.from, wish.factor)));
    }
    const bool is_known = absl::c_any_of(reached.wishes, [&](const Wish& known) {
      return known.actor == wish.actor && known.factor == wish.factor && known.to == wish.to;
    });
    if (!is_known && !reached.wall.has_value()) reached.wishes.push_back(wish);
  }

  // --- through walls -----------------------------------------------------------------------------

  void GoThroughWalls() {
    const auto cost = [&](int n) { return nodes_[static_cast<size_t>(n)].cost; };
    CostQueue queue;
    const int inside = static_cast<int>(nodes_.size());
    for (int n = 0; n < inside; ++n) queue.Push(CostQueue::kInside, {cost(n), n});
    while (!queue.empty() && !IsDone(queue.front().first)) {
      const int n = queue.Pop().second;
      const auto push_step = [&](int to) { queue.Push(CostQueue::kStep, {cost(to), to}); };
      if (n >= inside) FollowRules(n, push_step);
      CrossWalls(n, [&](int to) { queue.Push(CostQueue::kWall, {cost(to), to}); });
    }
  }

  template <typename OnNew>
  void CrossWalls(int n, OnNew on_new) {
    const Endpoint at = nodes_[static_cast<size_t>(n)].at;
    const Actor through = nodes_[static_cast<size_t>(n)].through;
    for (const OpLink& link : links_.Of(at.slot)) {
      if (link.actor == through) continue;  // not back again
      f_.exits_.ForEach(link, at.dim, [&](RefusalKind kind, const Endpoint& far) {
        Cross(n, link, kind, far, on_new);
      });
    }
  }

  template <typename OnNew>
  void Cross(int n, const OpLink& link, RefusalKind kind, const Endpoint& far, OnNew on_new) {
    const bool is_known = WasVisited(far);
    if (is_known && WithAsked(far.slot, far.dim) == nullptr) return;
    Node node = nodes_[static_cast<size_t>(n)];
    const Endpoint near = links_.Tensor(link.actor, link.tensor, node.at.dim);
    node = {far, n, node.cost + kWall, node.wall, link.actor};
    LookBehindWall(n, {kind, link.actor, near, far}, node);
    if (is_known) return;
    if (node.wall < 0) {
      node.wall = static_cast<int>(walls_.size());
      walls_.push_back({kind, link.actor, near, far});
    }
    on_new(Visit(node));
  }

  void LookBehindWall(int n, const Wall& wall, const Node& node) {
    const TensorSharding* sharding = WithAsked(node.at.slot, node.at.dim);
    if (sharding == nullptr) return;
    for (int i = 0; i < asked_.size(); ++i) {
      const size_t axis = static_cast<size_t>(i);
      if (node.cost >= best_[axis] || !asked_.Among(*sharding, node.at.dim, i)) continue;
      best_[axis] = node.cost;
      end_[axis] = n;
      source_of_[i] = node.at;
      reached_[axis] = Reached();
      reached_[axis].wall = node.wall < 0 ? wall : walls_[static_cast<size_t>(node.wall)];
    }
  }

  // --- the way back ------------------------------------------------------------------------------

  void SetPath(size_t i) {
    Reached& reached = reached_[i];
    if (end_[i] < 0) return;
    reached.path.push_back(source_of_[static_cast<int>(i)]);
    for (int n = end_[i]; n >= 0; n = nodes_[static_cast<size_t>(n)].parent) {
      reached.path.push_back(nodes_[static_cast<size_t>(n)].at);
    }
    reached.distance = static_cast<int>(reached.path.size()) - 1;
  }

  Frontier& f_;
  const EventLog& log_;
  const OpLinks& links_;
  const AskedAxes& asked_;
  WishCheck wishes_;
  // By op, output and factor: where the later ones look.
  absl::flat_hash_map<std::tuple<propagation::OpId, int, int>, std::vector<Endpoint>> wide_factors_;
  std::vector<Node> nodes_;
  std::vector<Wall> walls_;
  std::vector<int64_t> best_;  // by axis: the cost at which it was found
  std::vector<int> end_;       // by axis: the last node before it
  std::map<int, Endpoint> source_of_;
  absl::flat_hash_set<std::pair<propagation::GroupId, int>> followed_groups_;  // and dimension
  std::vector<Reached> reached_;
  std::vector<std::vector<bool>> has_asked_;  // by ShardingId, of those met: by dimension
};

Frontier::Frontier(const EventLog& log, const OpLinks& links)
    : log_(log), links_(links), exits_(log, links) {
  first_dim_.push_back(0);
  for (SlotId slot = 0; slot < log.num_slots(); ++slot) {
    first_dim_.push_back(first_dim_.back() + links.RankOf(slot));
  }
  visited_.assign(static_cast<size_t>(first_dim_.back()) + 1, 0);
}

std::vector<Reached> Frontier::Search(SlotId slot, int dim, const AskedAxes& asked) {
  return FrontierSearch(this, asked).Run(slot, dim);
}

}  // namespace tessera::sharding::explain
