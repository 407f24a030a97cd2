#include "tessera/target/schedule/latency_hiding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/schedule/latency_graph.h"

namespace tessera::target {
namespace {

class Scheduler {
 public:
  explicit Scheduler(std::vector<LatencyNode> nodes) : nodes_(std::move(nodes)) {}

  std::vector<Step> Run() {
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].waits == 0) ready_.push_back(n);
    }
    while (!ready_.empty()) Place(TakeBest());
    absl::c_reverse(steps_);
    return std::move(steps_);
  }

 private:
  bool CannotRunNow(const LatencyNode& node) const {
    return in_flight_ > 0 && (node.is_end() || node.has_collectives);
  }

  uint32_t TakeBest() {
    next_ready_ = NextReady();
    is_constrained_ =
        in_flight_ > 0 && absl::c_any_of(ready_, [&](uint32_t n) { return nodes_[n].is_end(); });
    std::optional<size_t> best;
    for (size_t r = 0; r < ready_.size(); ++r) {
      if (CannotRunNow(nodes_[ready_[r]])) continue;
      if (!best.has_value() || IsBetter(nodes_[ready_[r]], nodes_[ready_[*best]])) best = r;
    }
    const size_t taken = best.value_or(0);
    const uint32_t n = ready_[taken];
    std::swap(ready_[taken], ready_.back());
    ready_.pop_back();
    return n;
  }

  // Not ready yet: the earliest of them.
  std::optional<double> NextReady() const {
    if (later_.empty()) return std::nullopt;
    return *absl::c_min_element(later_);
  }

  uint32_t Unlocks(const LatencyNode& node) const {
    return static_cast<uint32_t>(absl::c_count_if(
        node.reads, [&](const LatencyEdge& edge) { return nodes_[edge.to].waits == 1; }));
  }

  // XLA's rules, the first that tells them apart.
  bool IsBetter(const LatencyNode& a, const LatencyNode& b) const {
    if (a.is_end() != b.is_end()) return a.is_end();
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

  double Stall(const LatencyNode& node) const { return std::max(node.ready - now_, 0.0); }

  // The start of a collective that nothing waits for.
  bool CanWait(const LatencyNode& node) const {
    return node.is_start() && node.async_depth == 0 && !is_constrained_;
  }

  bool Frees(const LatencyNode& node) const { return node.is_start() && is_constrained_; }

  // Its time is nearer to that until the next node is ready.
  bool FillsGap(const LatencyNode& node, const LatencyNode& other) const {
    if (!next_ready_.has_value() || node.is_start()) return false;
    const double gap = *next_ready_ - now_;
    return std::abs(gap - node.cost) < std::abs(gap - other.cost);
  }

  void Place(uint32_t n) {
    LatencyNode& node = nodes_[n];
    steps_.push_back(node.step);
    in_flight_ += node.is_end() ? 1 : node.is_start() ? -1 : 0;
    node.ready = ReadyAt(node);
    now_ = node.ready + node.cost;
    later_.erase(std::remove_if(later_.begin(), later_.end(), [&](double t) { return t < now_; }),
                 later_.end());
    for (const LatencyEdge& edge : node.reads) {
      LatencyNode& read = nodes_[edge.to];
      if (--read.waits > 0) continue;
      read.ready = ReadyAt(read);
      ready_.push_back(edge.to);
      if (read.ready > now_) later_.push_back(read.ready);
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
  std::vector<uint32_t> ready_;
  std::vector<double> later_;  // times of nodes that became ready later than now
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

}  // namespace tessera::target
