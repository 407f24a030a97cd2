#include "tessera/target/schedule/latency/latency_hiding.h"

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
#include "tessera/target/schedule/latency/latency_graph.h"

namespace tessera::target {
namespace {

// Nodes that may come next. Of more than kCompared, those that stand last in the order of least memory
// are compared.
class ReadyList {
 public:
  void Push(uint32_t place, uint32_t n) {
    after_.emplace(place, n);
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
    if (compared_.size() == kCompared || after_.empty()) return;
    compared_.push_back(after_.top().second);
    after_.pop();
  }

  std::vector<uint32_t> compared_;
  std::priority_queue<std::pair<uint32_t, uint32_t>> after_;  // place, node
};

class Scheduler {
 public:
  Scheduler(std::vector<LatencyNode> nodes, const HidingRules& rules)
      : nodes_(std::move(nodes)), rules_(rules) {}

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
    AddTo(&waiting_, nodes_[n], 1);
    ListOf(nodes_[n]).Push(nodes_[n].place, n);
  }

  // Nodes that need room in a stream: ends of collectives, and loops with some.
  void AddTo(InFlight* counts, const LatencyNode& node, int sign) const {
    for (size_t s = 0; s < kStreams; ++s) {
      const bool is_end = node.is_end() && !node.is_own_kernel && node.stream == s;
      if (is_end || node.inside[s] > 0) (*counts)[s] += sign;
    }
  }

  ReadyList& ListOf(const LatencyNode& node) {
    if (node.is_large_fill) return fills_;
    const bool is_end = node.is_end() && !node.is_own_kernel;
    return !rules_.ends_compete && (is_end || node.has_collectives()) ? ends_ : others_;
  }

  // A large fill, right in front of what reads it. Then the end of a collective, or a loop with collectives; while one
  // is in flight, what has no collectives.
  uint32_t TakeBest() {
    next_ready_ = NextReady();
    const bool takes_end = others_.empty() || (in_flight_[kFirstStream] == 0 && !ends_.empty());
    ReadyList& list = !fills_.empty() ? fills_ : takes_end ? ends_ : others_;
    const uint32_t n = list.Take(BestOf(list.compared()));
    AddTo(&waiting_, nodes_[n], -1);
    return n;
  }

  // Its index; 0 where none can run now.
  size_t BestOf(const std::vector<uint32_t>& ready) const {
    std::optional<size_t> best;
    for (size_t r = 0; r < ready.size(); ++r) {
      if (!HasRoom(nodes_[ready[r]])) continue;
      if (!best.has_value() || IsBetter(nodes_[ready[r]], nodes_[ready[*best]])) best = r;
    }
    return best.value_or(0);
  }

  bool HasRoom(const LatencyNode& node) const {
    const bool is_end = node.is_end() && !node.is_own_kernel && rules_.ends_compete;
    if (is_end && IsFull(node.stream)) return false;
    for (size_t s = 0; s < kStreams; ++s) {
      if (node.inside[s] > 0 && in_flight_[s] + node.inside[s] > rules_.most[s]) return false;
    }
    return true;
  }

  bool IsFull(size_t stream) const { return in_flight_[stream] >= rules_.most[stream]; }

  // Not ready yet: the earliest of them.
  std::optional<double> NextReady() const {
    if (later_.empty()) return std::nullopt;
    return later_.top();
  }

  uint32_t Unlocks(const LatencyNode& node) const {
    return static_cast<uint32_t>(absl::c_count_if(
        node.reads, [&](const LatencyEdge& edge) { return nodes_[edge.to].waits == 1; }));
  }

  // XLA's rules after the first one, which takes ends of collectives.
  bool IsBetter(const LatencyNode& a, const LatencyNode& b) const {
    if (IsFreeEnd(a) != IsFreeEnd(b)) return IsFreeEnd(a);
    if (Stall(a) != Stall(b)) return Stall(a) < Stall(b);
    if (rules_.looks_ahead && CanWait(a) != CanWait(b)) return CanWait(b);
    if (Frees(a) != Frees(b)) return Frees(a);
    if (!rules_.looks_ahead) {
      return a.unlocks_end != b.unlocks_end ? a.unlocks_end : a.place > b.place;
    }
    if (a.async_depth != b.async_depth) return a.async_depth > b.async_depth;
    if (FillsGap(a, b) != FillsGap(b, a)) return FillsGap(a, b);
    if (a.unlocks_end != b.unlocks_end) return a.unlocks_end;
    const uint32_t a_unlocks = Unlocks(a), b_unlocks = Unlocks(b);
    if (a_unlocks != b_unlocks) return a_unlocks > b_unlocks;
    return a.place > b.place;
  }

  // It comes as soon as it can. Of those that have a list of their own, that of a kernel.
  bool IsFreeEnd(const LatencyNode& node) const {
    if (rules_.ends_compete) return node.is_end() || node.has_collectives();
    return node.is_end() && node.is_own_kernel;
  }

  double Stall(const LatencyNode& node) const { return std::max(node.ready - now_, 0.0); }

  // The start of a collective that nothing waits for.
  bool CanWait(const LatencyNode& node) const {
    return node.is_start() && node.async_depth == 0 && !IsConstrained(node);
  }

  bool Frees(const LatencyNode& node) const { return node.is_start() && IsConstrained(node); }
  bool IsConstrained(const LatencyNode& node) const {
    return IsFull(node.stream) && waiting_[node.stream] > 0 && !node.is_own_kernel;
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
    if (!node.is_own_kernel)
      in_flight_[node.stream] += node.is_end() ? 1 : node.is_start() ? -1 : 0;
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
  const HidingRules rules_;
  ReadyList fills_, ends_, others_;  // large fills, ends and loops of collectives, and all else
  std::vector<uint32_t> no_ops_;     // ready, and placed at once
  // Times of nodes that became ready later than now, the earliest on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> later_;
  std::optional<double> next_ready_;
  std::vector<Step> steps_;  // the last one first
  double now_ = 0;
  InFlight in_flight_ = {};
  InFlight waiting_ = {};  // by stream: ready, but for what is in flight
};

}  // namespace

HidingRules HidingOn(const Chip& chip) {
  HidingRules rules;
  if (chip.platform != Platform::kTpu) return rules;
  rules.most[kPermutes] = 5;
  rules.ends_compete = true;
  rules.moves_collectives = false;
  rules.looks_ahead = chip.hides_gathers;
  rules.has_sparse_cores = chip.has_sparse_cores;
  return rules;
}

std::vector<Step> HideLatency(const ScopeKernels& scope, const Homes& homes,
                              const std::vector<uint32_t>& order,
                              absl::Span<const KernelTime> times, const HidingRules& rules) {
  return Scheduler(LatencyGraph(scope, homes, order, times, rules.moves_collectives), rules).Run();
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
