#include "tessera/target/schedule/latency_hiding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/schedule/latency_graph.h"

namespace tessera::target {
namespace {

// Nodes that may come next. Of more than kCompared, those that stand last in the order of least memory
// are compared.
class ReadyList {
 public:
  void Push(uint32_t place, uint32_t n) {
    behind_.emplace(place, n);
    Fill();
  }
  uint32_t Take(size_t index) {
    std::swap(compared_[index], compared_.back());
    const uint32_t n = compared_.back();
    compared_.pop_back();
    Fill();
    return n;
  }
  bool empty() const { return compared_.empty(); }
  const std::vector<uint32_t>& compared() const { return compared_; }

 private:
  static constexpr size_t kCompared = 512;

  void Fill() {
    if (compared_.size() == kCompared || behind_.empty()) return;
    compared_.push_back(behind_.top().second);
    behind_.pop();
  }

  std::vector<uint32_t> compared_;
  std::priority_queue<std::pair<uint32_t, uint32_t>> behind_;  // place, node
};

class Scheduler {
 public:
  explicit Scheduler(std::vector<LatencyNode> nodes) : nodes_(std::move(nodes)) {}

  std::vector<Step> Run() {
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].waits == 0) AddReady(n);
    }
    while (true) {
      if (!no_ops_.empty()) {
        const uint32_t n = no_ops_.back();
        no_ops_.pop_back();
        Place(n);
      } else if (!fills_.empty() || !ends_.empty() || !others_.empty()) {
        Place(TakeBest());
      } else {
        break;
      }
    }
    absl::c_reverse(steps_);
    return std::move(steps_);
  }

 private:
  void AddReady(uint32_t n) {
    if (nodes_[n].is_no_op) {
      no_ops_.push_back(n);
      return;
    }
    ListOf(nodes_[n]).Push(nodes_[n].place, n);
  }

  ReadyList& ListOf(const LatencyNode& node) {
    if (node.is_large_fill) return fills_;
    const bool is_end = node.is_end() && !node.is_own_kernel;
    return is_end || node.has_collectives ? ends_ : others_;
  }

  // A large fill, right in front of what reads it. Then the end of a collective, or a loop with collectives; while one
  // is in flight, what has no collectives.
  uint32_t TakeBest() {
    next_ready_ = NextReady();
    is_constrained_ = in_flight_ > 0 && !ends_.empty();
    const bool takes_end = others_.empty() || (in_flight_ == 0 && !ends_.empty());
    ReadyList& list = !fills_.empty() ? fills_ : takes_end ? ends_ : others_;
    return list.Take(BestOf(list.compared()));
  }

  // Its index; 0 where none can run now.
  size_t BestOf(const std::vector<uint32_t>& ready) const {
    std::optional<size_t> best;
    for (size_t r = 0; r < ready.size(); ++r) {
      if (in_flight_ > 0 && nodes_[ready[r]].has_collectives) continue;
      if (!best.has_value() || IsBetter(nodes_[ready[r]], nodes_[ready[*best]])) best = r;
    }
    return best.value_or(0);
  }

  // Not ready yet: the earliest of them.
  std::optional<double> NextReady() const {
    if (later_.empty()) return std::nullopt;
    return later_.top();
  }

  uint32_t Unlocks(const LatencyNode& node) const {
    return static_cast<uint32_t>(absl::c_count_if(
        node.reads, [&](const LatencyEdge& edge) { return nodes_[edge.to].waits == 1; }));
  }

  // XLA's rules behind the first one, which takes ends of collectives.
  bool IsBetter(const LatencyNode& a, const LatencyNode& b) const {
    if (IsOwnEnd(a) != IsOwnEnd(b)) return IsOwnEnd(a);
    if (Stall(a) != Stall(b)) return Stall(a) < Stall(b);
    if (CanWait(a) != CanWait(b)) return CanWait(b);
    if (Frees(a) != Frees(b)) return Frees(a);
    if (a.async_depth != b.async_depth) return a.async_depth > b.async_depth;
    if (FillsGap(a, b) != FillsGap(b, a)) return FillsGap(a, b);
    if (a.unlocks_end != b.unlocks_end) return a.unlocks_end;
    const uint32_t a_unlocks = Unlocks(a), b_unlocks = Unlocks(b);
    if (a_unlocks != b_unlocks) return a_unlocks > b_unlocks;
    return a.place > b.place;
  }

  // That of a kernel comes as soon as it can, too.
  static bool IsOwnEnd(const LatencyNode& node) { return node.is_own_kernel && node.is_end(); }

  double Stall(const LatencyNode& node) const { return std::max(node.ready - now_, 0.0); }

  // The start of a collective that nothing waits for.
  bool CanWait(const LatencyNode& node) const {
    return node.is_start() && node.async_depth == 0 && !IsConstrained(node);
  }

  bool Frees(const LatencyNode& node) const { return node.is_start() && IsConstrained(node); }
  bool IsConstrained(const LatencyNode& node) const {
    return is_constrained_ && !node.is_own_kernel;
  }

  // Its time is nearer to that until the next node is ready.
  bool FillsGap(const LatencyNode& node, const LatencyNode& other) const {
    if (!next_ready_.has_value() || node.is_start()) return false;
    const double gap = *next_ready_ - now_;
    return std::abs(gap - node.cost) < std::abs(gap - other.cost);
  }

  void Place(uint32_t n) {
    LatencyNode& node = nodes_[n];
    if (!node.is_no_op) steps_.push_back(node.step);
    if (!node.is_own_kernel) in_flight_ += node.is_end() ? 1 : node.is_start() ? -1 : 0;
    node.ready = ReadyAt(node);
    now_ = node.ready + node.cost;
    while (!later_.empty() && later_.top() < now_) later_.pop();
    for (const LatencyEdge& edge : node.reads) {
      LatencyNode& read = nodes_[edge.to];
      if (--read.waits > 0) continue;
      read.ready = ReadyAt(read);
      AddReady(edge.to);
      if (read.ready > now_) later_.push(read.ready);
    }
  }

  // When all readers can have what it makes.
  double ReadyAt(const LatencyNode& node) const {
    double at = now_;
    for (const LatencyEdge& edge : node.readers)
      at = std::max(at, nodes_[edge.to].ready + edge.latency);
    return at;
  }

  std::vector<LatencyNode> nodes_;
  ReadyList fills_, ends_, others_;  // large fills, ends and loops of collectives, and all else
  std::vector<uint32_t> no_ops_;     // ready, and placed at once
  // Times of nodes that became ready later than now, the earliest on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> later_;
  std::optional<double> next_ready_;
  std::vector<Step> steps_;  // the last one first
  double now_ = 0;
  int in_flight_ = 0;
  bool is_constrained_ = false;  // the end of a collective waits for one in flight
};

}  // namespace

std::vector<Step> HideLatency(const ScopeKernels& scope, const Homes& homes,
                              const std::vector<uint32_t>& order,
                              absl::Span<const KernelTime> times) {
  return Scheduler(LatencyGraph(scope, homes, order, times)).Run();
}

std::vector<uint32_t> WaitedKernels(absl::Span<const Step> steps) {
  std::vector<uint32_t> waited;
  absl::flat_hash_set<uint32_t> started;  // since the last kernel
  for (const Step& step : steps) {
    if (step.starts && step.ends) {
      started.clear();
    } else if (step.starts) {
      started.insert(step.kernel);
    } else if (started.contains(step.kernel)) {
      waited.push_back(step.kernel);
    }
  }
  return waited;
}

}  // namespace tessera::target
