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

constexpr int64_t kBlockingOp = 1000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

// A (tensor, dimension) on the way, and how the search came there.
struct FrontierNode {
  Endpoint at;
  int parent = -1;
  int64_t cost = 0;
  int blocking_op = -1;  // the first on the way
  Actor through;         // the blocking op that was the last step, if one was
};

class FrontierSearch {
 public:
  FrontierSearch(Frontier* frontier, const AskedAxes& asked)
      : f_(*frontier),
        log_(frontier->log_),
        links_(frontier->links_),
        asked_(asked),
        missed_(frontier->log_, frontier->links_),
        best_(static_cast<size_t>(asked.size()), kNever),
        end_(static_cast<size_t>(asked.size()), -1),
        is_inside_(static_cast<size_t>(asked.size()), true),
        reached_(static_cast<size_t>(asked.size())) {
    ++f_.searches_;
  }

  std::vector<Reached> Run(SlotId slot, int dim) {
    Endpoint start;
    start.slot = slot;
    start.dim = dim;
    start.value = log_.IsOutput(slot) ? propagation::kNone : slot;
    Add({start, -1, 0, -1, {}});
    // Nodes are visited in the order of their distance.
    for (; followed_ < nodes_.size() && !IsDoneInside(nodes_[followed_].cost); ++followed_) {
      if (followed_ == f_.alone_) AskAboutComponent();
      FollowRules(static_cast<int>(followed_));
    }
    if (!IsDone(kNever)) GoThroughBlockingOps();
    for (size_t i = 0; i < reached_.size(); ++i) SetPath(i);
    return std::move(reached_);
  }

 private:
  // Nothing that lies after this cost can be nearer for any axis.
  bool IsDone(int64_t cost) const {
    return absl::c_all_of(best_, [&](int64_t best) { return best != kNever && best <= cost; });
  }

  // The same without blocking ops, where the axes are known that the component does not have.
  bool IsDoneInside(int64_t cost) const {
    for (size_t i = 0; i < best_.size(); ++i) {
      if (is_inside_[i] && (best_[i] == kNever || best_[i] > cost)) return false;
    }
    return true;
  }

  // A component knows no groups, and a way through it may be as long as a blocking op. In these cases the
  // search goes on as before.
  void AskAboutComponent() {
    if (!log_.numbered().groups().empty()) return;
    const Component& component = f_.components_.Of(nodes_.front().at);
    if (2 * component.radius >= kBlockingOp) return;
    component_ = &component;
    for (size_t i = 0; i < is_inside_.size(); ++i) {
      is_inside_[i] = absl::c_any_of(component.held, [&](const auto& held) {
        const TensorSharding& sharding = *log_.program().Find(held.first);
        return held.second < sharding.rank() &&
               asked_.Among(sharding, held.second, static_cast<int>(i));
      });
    }
  }

  int32_t Number(const Endpoint& at) const { return f_.components_.Number(at); }
  bool WasVisited(const Endpoint& at) const {
    return f_.visited_[static_cast<size_t>(Number(at))] == f_.searches_;
  }
  // A search that asked its component does not enter it again. Past blocking ops it does not enter the exits
  // of the component either: one blocking op leads to them.
  bool CountsAsVisited(const Endpoint& at, bool is_past_blocking_op) const {
    if (WasVisited(at)) return true;
    if (component_ == nullptr) return false;
    return f_.components_.Has(*component_, at) ||
           (is_past_blocking_op && component_->exits.contains(Number(at)));
  }
  int Add(const FrontierNode& node) {
    f_.visited_[static_cast<size_t>(Number(node.at))] = f_.searches_;
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }
  template <typename OnNew>
  void StepTo(const Endpoint& to, int n, OnNew on_new) {
    const FrontierNode& node = nodes_[static_cast<size_t>(n)];
    const bool is_inside = node.blocking_op < 0;
    if (is_inside ? WasVisited(to) : CountsAsVisited(to, true)) return;
    on_new(Add({to, n, node.cost + 1, node.blocking_op, {}}));
  }

  // --- along factors -----------------------------------------------------------------------------

  // Visits the neighbours along all factors of the node's dimension.
  template <typename OnNew>
  void FollowRules(int n, OnNew on_new) {
    const Endpoint at = nodes_[static_cast<size_t>(n)].at;
    ForEachFactor(links_, at, [&](const OpLink& link, const OpShardingRule& rule, int factor) {
      if (IsWide(rule, factor)) {
        FollowWideFactor(n, link, rule, factor, on_new);
      } else {
        FollowFactor(n, link, rule, factor, on_new);
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
      StepTo(to, n, on_new);
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
      StepTo(to, n, on_new);
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
      Endpoint to = at;
      to.slot = log_.SlotOf(member);
      to.value = member;
      StepTo(to, n, on_new);
    }
  }

  // Notes a missed update if the neighbour has an axis asked for on that factor.
  void Look(int n, const OpLink& link, int factor, const Endpoint& neighbour) {
    const TensorSharding* sharding = WithAsked(neighbour.slot, neighbour.dim);
    if (sharding == nullptr) return;
    const int64_t cost = nodes_[static_cast<size_t>(n)].cost + 1;
    for (int i = 0; i < asked_.size(); ++i) {
      if (cost > best_[static_cast<size_t>(i)] || !asked_.Among(*sharding, neighbour.dim, i)) {
        continue;
      }
      const AxisRef axis = *asked_.In(sharding->mesh_id(), i);
      const MissedUpdate missed = {link.actor, factor, neighbour.tensor, link.tensor, axis};
      if (missed_.IsMissed(missed)) Note(i, n, cost, missed);
    }
  }

  void Note(int i, int n, int64_t cost, const MissedUpdate& missed) {
    Reached& reached = reached_[static_cast<size_t>(i)];
    if (cost < best_[static_cast<size_t>(i)]) {
      best_[static_cast<size_t>(i)] = cost;
      end_[static_cast<size_t>(i)] = n;
      reached = Reached();
      const int blocking_op = nodes_[static_cast<size_t>(n)].blocking_op;
      if (blocking_op >= 0) reached.blocking_op = blocking_ops_[static_cast<size_t>(blocking_op)];
      const factors::OpShardingRule& rule = *links_.RuleOf(missed.actor);
      source_of_[i] =
          links_.Tensor(missed.actor, missed.from,
                        rule.dim_of_cell(missed.from, rule.cell(missed.from, missed.factor)));
    }
    const bool is_known = absl::c_any_of(reached.missed, [&](const MissedUpdate& known) {
      return known.actor == missed.actor && known.factor == missed.factor && known.to == missed.to;
    });
    if (!is_known && !reached.blocking_op.has_value()) reached.missed.push_back(missed);
  }

  // --- through blocking ops -----------------------------------------------------------------------------

  void GoThroughBlockingOps() {
    const auto cost = [&](int n) { return nodes_[static_cast<size_t>(n)].cost; };
    CostQueue queue;
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      queue.Push(CostQueue::kInside, {cost(n), n});
    }
    while (!queue.empty() && !IsDone(queue.front().first)) {
      const int n = queue.Pop().second;
      const bool is_inside = nodes_[static_cast<size_t>(n)].blocking_op < 0;
      // After its blocking ops nothing is near enough.
      if (is_inside && component_ != nullptr && IsDone(cost(n) + kBlockingOp)) continue;
      const auto source = is_inside ? CostQueue::kInside : CostQueue::kStep;
      if (static_cast<size_t>(n) >= followed_) {
        FollowRules(n, [&](int to) { queue.Push(source, {cost(to), to}); });
      }
      CrossBlockingOps(n, [&](int to) { queue.Push(CostQueue::kBlockingOp, {cost(to), to}); });
    }
  }

  template <typename OnNew>
  void CrossBlockingOps(int n, OnNew on_new) {
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
    const bool is_known = CountsAsVisited(far, nodes_[static_cast<size_t>(n)].blocking_op >= 0);
    if (is_known && WithAsked(far.slot, far.dim) == nullptr) return;
    FrontierNode node = nodes_[static_cast<size_t>(n)];
    const Endpoint near = links_.Tensor(link.actor, link.tensor, node.at.dim);
    node = {far, n, node.cost + kBlockingOp, node.blocking_op, link.actor};
    LookPastBlockingOp(n, {kind, link.actor, near, far}, node);
    if (is_known) return;
    if (node.blocking_op < 0) {
      node.blocking_op = static_cast<int>(blocking_ops_.size());
      blocking_ops_.push_back({kind, link.actor, near, far});
    }
    on_new(Add(node));
  }

  void LookPastBlockingOp(int n, const BlockingOp& blocking_op, const FrontierNode& node) {
    const TensorSharding* sharding = WithAsked(node.at.slot, node.at.dim);
    if (sharding == nullptr) return;
    for (int i = 0; i < asked_.size(); ++i) {
      const size_t axis = static_cast<size_t>(i);
      if (node.cost >= best_[axis] || !asked_.Among(*sharding, node.at.dim, i)) continue;
      best_[axis] = node.cost;
      end_[axis] = n;
      source_of_[i] = node.at;
      reached_[axis] = Reached();
      reached_[axis].blocking_op =
          node.blocking_op < 0 ? blocking_op : blocking_ops_[static_cast<size_t>(node.blocking_op)];
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
  MissedUpdateCheck missed_;
  // By op, output and factor: where the later ones look.
  absl::flat_hash_map<std::tuple<propagation::OpId, int, int>, std::vector<Endpoint>> wide_factors_;
  size_t followed_ = 0;                   // nodes from which all steps were taken
  const Component* component_ = nullptr;  // null: it was not asked about, or does not help
  std::vector<FrontierNode> nodes_;
  std::vector<BlockingOp> blocking_ops_;
  std::vector<int64_t> best_;    // by axis: the cost at which it was found
  std::vector<int> end_;         // by axis: the last node before it
  std::vector<bool> is_inside_;  // by axis: the component may have it
  std::map<int, Endpoint> source_of_;
  absl::flat_hash_set<std::pair<propagation::GroupId, int>> followed_groups_;  // and dimension
  std::vector<Reached> reached_;
  std::vector<std::vector<bool>> has_asked_;  // by ShardingId, of those met: by dimension
};

Frontier::Frontier(const EventLog& log, const OpLinks& links, size_t alone)
    : log_(log),
      links_(links),
      alone_(alone),
      exits_(log, links),
      components_(log, links, &exits_),
      visited_(static_cast<size_t>(components_.num_places()) + 1, 0) {}

std::vector<Reached> Frontier::Search(SlotId slot, int dim, const AskedAxes& asked) {
  return FrontierSearch(this, asked).Run(slot, dim);
}

}  // namespace tessera::sharding::explain
