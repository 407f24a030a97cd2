#include "tessera/target/priority_fusion/priority_fusion.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/fusible.h"
#include "tessera/target/priority_fusion/kernel_kinds.h"

namespace tessera::target {
namespace {

constexpr int64_t kFirst = std::numeric_limits<int64_t>::max();
constexpr int64_t kNever = -1;

class Queue {
 public:
  explicit Queue(FusionGraph& graph)
      : graph_(graph),
        kinds_(graph),
        priorities_(graph.size(), kNever),
        is_changed_(graph.size()),
        versions_(graph.size()),
        obstacles_(graph.size()),
        pairs_(graph.size()) {
    for (const uint32_t kernel : graph.PostOrder()) Change(kernel);
  }

  // While there are bitcasts, which go first, it does not matter what the others save.
  void Run() {
    for (;;) {
      Update(&changed_bitcasts_);
      if (!HasNext() || queue_.top().first != kFirst) Update(&changed_);
      if (!HasNext()) return;
      const uint32_t producer = queue_.top().second.second;
      Drop(producer);
      FuseIntoUsers(producer);
    }
  }

  // By kernel.
  std::vector<double> TicksOfAll() {
    std::vector<double> ticks(graph_.size());
    for (uint32_t kernel = 0; kernel < graph_.size(); ++kernel) {
      const FusionGraph::Node& node = graph_.node(kernel);
      if (node.is_gone || node.is_triton || node.is_product) continue;
      ticks[kernel] = Ticks(kernel);
    }
    return ticks;
  }

 private:
  using Key = std::pair<int64_t, std::pair<uint32_t, uint32_t>>;  // priority, number, kernel

  // The known figures of a kernel, or of two that would be one.
  struct Known {
    std::optional<double> ticks;
    std::optional<bool> can_fuse;
    std::optional<double> saved;                  // ticks
    std::optional<std::optional<double>> triton;  // of both as one kernel, if there is one
  };

  // A producer and one of its users at these versions, and what is known of both as one.
  struct Pair {
    std::optional<uint32_t> user;
    uint32_t producer_version = 0, user_version = 0;
    std::optional<uint32_t> kind;
    std::optional<bool> is_obstacle;
    std::optional<double> saved;  // ticks
  };

  bool IsBitcast(uint32_t kernel) const { return graph_.Is(kernel, Opcode::kBitcast); }

  // One that is alone and cannot be a part of a kernel, or is what the program gives.
  bool MayFuse(uint32_t producer, uint32_t consumer) const {
    if (!graph_.IsFusible(producer) || !graph_.IsFusible(consumer)) return false;
    return !IsBitcast(consumer) && !graph_.node(producer).is_root;
  }

  // The rest, which depends on the kinds of both.
  bool CanFuse(uint32_t producer, uint32_t consumer, uint32_t kind) {
    if (!graph_.node(producer).is_triton && !graph_.node(consumer).is_triton) {
      return CanBeOne(&graph_, producer, consumer);
    }
    return FitsInOperands(graph_, producer, consumer) &&
           TritonTicks(producer, consumer, kind).has_value();
  }

  std::optional<double> TritonTicks(uint32_t producer, uint32_t consumer, uint32_t kind) {
    if (!Of(kind).triton.has_value()) {
      Of(kind).triton = graph_.TritonTicksFused(producer, consumer);
    }
    return *Of(kind).triton;
  }

  double TicksAsOne(uint32_t producer, uint32_t consumer, uint32_t kind) {
    if (graph_.node(producer).is_triton || graph_.node(consumer).is_triton) {
      // There is one: CanFuse() has found it.
      return TritonTicks(producer, consumer, kind).value_or(0);
    }
    return TicksFused(producer, graph_.CostOf(producer), graph_.CostOf(consumer));
  }

  Known& Of(uint32_t kind) {
    if (kind >= known_.size()) known_.resize(kinds_.size());
    return known_[kind];
  }

  bool IsOf(const Pair& pair, uint32_t producer, uint32_t user) const {
    return pair.user == user && pair.producer_version == versions_[producer] &&
           pair.user_version == versions_[user];
  }

  Pair PairOf(uint32_t producer, uint32_t user) const {
    return {user, versions_[producer], versions_[user], {}, {}, {}};
  }

  // With the k-th user, whom `pairs` has room for. Made anew only when one of both has changed, or the place of the user.
  Pair& PairIn(std::vector<Pair>& pairs, uint32_t producer, uint32_t user, size_t k) const {
    if (!IsOf(pairs[k], producer, user)) pairs[k] = PairOf(producer, user);
    return pairs[k];
  }

  std::vector<Pair>& PairsOf(uint32_t producer) {
    std::vector<Pair>& pairs = pairs_[producer];
    const size_t users = graph_.node(producer).users.size();
    if (pairs.size() < users) pairs.resize(users);
    return pairs;
  }

  uint32_t KindOf(uint32_t producer, Pair* pair) {
    if (!pair->kind.has_value()) pair->kind = kinds_.OfFused(producer, *pair->user);
    return *pair->kind;
  }

  bool IsKnownToFuse(uint32_t producer, Pair* pair) {
    if (!MayFuse(producer, *pair->user)) return false;
    const uint32_t kind = KindOf(producer, pair);
    if (!Of(kind).can_fuse.has_value()) {
      const bool can_fuse = CanFuse(producer, *pair->user, kind);
      Of(kind).can_fuse = can_fuse;
    }
    return *Of(kind).can_fuse;
  }

  bool IsObstacle(uint32_t producer, Pair* pair) {
    if (!pair->is_obstacle.has_value()) {
      pair->is_obstacle =
          !graph_.IsBitcastOf(*pair->user, producer) && !IsKnownToFuse(producer, pair);
    }
    return *pair->is_obstacle;
  }

  // One that Triton made of two has the time that was found for both as one.
  double Ticks(uint32_t kernel) {
    Known& known = Of(kinds_.Of(kernel));
    if (!known.ticks.has_value() && known.triton.has_value()) known.ticks = *known.triton;
    if (!known.ticks.has_value()) known.ticks = graph_.CostOf(kernel).ticks;
    return *known.ticks;
  }

  double TicksSaved(uint32_t producer, Pair* pair) {
    if (!pair->saved.has_value()) {
      const uint32_t kind = KindOf(producer, pair);
      if (!Of(kind).saved.has_value()) {
        const double saved = Ticks(*pair->user) - TicksAsOne(producer, *pair->user, kind);
        Of(kind).saved = saved;
      }
      pair->saved = Of(kind).saved;
    }
    return *pair->saved;
  }

  // A user into which it cannot be fused. If there is none, the pairs are those of its users.
  bool HasObstacle(uint32_t producer, std::vector<Pair>& pairs) {
    Pair& known = obstacles_[producer];
    if (known.user.has_value() && !graph_.node(*known.user).is_gone &&
        IsOf(known, producer, *known.user)) {
      return true;
    }
    const FusionGraph::Kernels& users = graph_.node(producer).users;
    for (size_t k = 0; k < users.size(); ++k) {
      if (!IsObstacle(producer, &PairIn(pairs, producer, users[k], k))) continue;
      known = PairOf(producer, users[k]);
      return true;
    }
    return false;
  }

  // In ticks.
  int64_t PriorityOf(uint32_t producer) {
    if (IsBitcast(producer)) return kFirst;
    const FusionGraph::Kernels& users = graph_.node(producer).users;
    if (absl::c_all_of(users, [&](uint32_t user) { return graph_.IsBitcastOf(user, producer); }))
      return kNever;
    std::vector<Pair>& pairs = PairsOf(producer);
    if (HasObstacle(producer, pairs)) return kNever;
    double saved = kKernelLaunchTicks + Ticks(producer);
    for (size_t k = 0; k < users.size(); ++k) saved += TicksSaved(producer, &pairs[k]);
    return saved < 0 ? kNever : static_cast<int64_t>(saved);
  }

  // A dropped kernel stays in queue_ until it comes up.
  void Drop(uint32_t kernel) { priorities_[kernel] = kNever; }

  bool HasNext() {
    const auto is_dropped = [&](const Key& key) {
      const auto [number, kernel] = key.second;
      return key.first != priorities_[kernel] || number != graph_.node(kernel).number;
    };
    while (!queue_.empty() && is_dropped(queue_.top())) queue_.pop();
    return !queue_.empty();
  }

  int64_t NewPriorityOf(uint32_t kernel) {
    const FusionGraph::Node& node = graph_.node(kernel);
    if (node.is_gone || node.users.empty() || !graph_.IsFusible(kernel)) return kNever;
    return PriorityOf(kernel);
  }

  // The number is the one that it had, unless it was dropped.
  void Update(uint32_t kernel) {
    const int64_t priority = NewPriorityOf(kernel);
    if (priority == priorities_[kernel]) return;
    priorities_[kernel] = priority;
    if (priority == kNever) return;
    queue_.push({priority, {graph_.node(kernel).number, kernel}});
  }

  // Its savings may change.
  void Change(uint32_t kernel) {
    if (is_changed_[kernel]) return;
    is_changed_[kernel] = true;
    (IsBitcast(kernel) ? changed_bitcasts_ : changed_).push_back(kernel);
  }

  void Update(std::vector<uint32_t>* changed) {
    for (const uint32_t kernel : *changed) {
      is_changed_[kernel] = false;
      Update(kernel);
    }
    changed->clear();
  }

  void FuseIntoUsers(uint32_t producer) {
    for (const uint32_t user : FusionGraph::Kernels(graph_.node(producer).users)) {
      if (graph_.IsBitcastOf(user, producer)) continue;
      const size_t k = static_cast<size_t>(absl::c_find(graph_.node(producer).users, user) -
                                           graph_.node(producer).users.begin());
      Pair& pair = PairIn(PairsOf(producer), producer, user, k);
      if (IsBitcast(producer) && IsObstacle(producer, &pair)) continue;
      Drop(user);
      kinds_.Set(user, KindOf(producer, &pair));
      graph_.Fuse(producer, user);
      ++versions_[user];
      Change(user);
      for (const uint32_t operand : graph_.node(user).operands) Change(operand);
    }
    graph_.RemoveUnused(producer);
  }

  FusionGraph& graph_;
  KernelKinds kinds_;
  std::vector<Known> known_;  // by kind
  std::priority_queue<Key> queue_;
  std::vector<int64_t> priorities_;  // by kernel: as in queue_, or kNever
  std::vector<bool> is_changed_;     // by kernel
  std::vector<uint32_t> changed_bitcasts_, changed_;
  std::vector<uint32_t> versions_;        // by kernel: how often something was fused into it
  std::vector<Pair> obstacles_;           // by producer: a user into which it cannot be fused
  std::vector<std::vector<Pair>> pairs_;  // by producer, and place among its users
};

}  // namespace

std::vector<double> FuseByPriority(FusionGraph& graph) {
  Queue queue(graph);
  queue.Run();
  graph.FuseConstants();
  return queue.TicksOfAll();
}

}  // namespace tessera::target
