#include "tessera/target/schedule/latency_hiding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"

namespace tessera::target {
namespace {

// In microseconds, XLA's unit: of an edge that is no collective, and of the start or end of one.
constexpr double kLowLatency = 1, kLowCost = 1;

struct Edge {
  uint32_t to = 0;
  double latency = kLowLatency;
};

struct Node {
  Step step;
  double cost = 0;
  std::vector<Edge> reads, readers;
  uint32_t place = 0;     // in the order of least memory
  uint32_t waits = 0;     // for readers that do not stand yet
  double ready = 0;       // when it could stand, from the end of the program
  double async_depth = 0;  // time of the collectives in front of it, one after the other
  bool unlocks_end = false;  // reads the end of a collective
  bool has_collectives = false;

  bool is_start() const { return !step.ends; }
  bool is_end() const { return !step.starts; }
};

class Scheduler {
 public:
  Scheduler(const ScopeKernels& scope, const Homes& homes, const std::vector<uint32_t>& order,
            absl::Span<const KernelTime> times)
      : first_(scope.kernels.size()), last_(scope.kernels.size()) {
    for (const uint32_t k : order) AddKernel(k, times[k]);
    Connect(scope, homes, order);
    for (Node& node : nodes_) {
      node.waits = static_cast<uint32_t>(node.readers.size());
      for (const Edge& edge : node.reads) {
        const Node& read = nodes_[edge.to];
        node.async_depth =
            std::max(node.async_depth, read.async_depth + (node.is_end() ? edge.latency : 0));
        node.unlocks_end |= read.is_end();
      }
    }
  }

  std::vector<Step> Run() {
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].waits == 0) ready_.push_back(n);
    }
    while (!ready_.empty()) Place(TakeBest());
    absl::c_reverse(steps_);
    return std::move(steps_);
  }

 private:
  void AddKernel(uint32_t k, const KernelTime& time) {
    const double micros = time.seconds * 1e6;
    first_[k] = static_cast<uint32_t>(nodes_.size());
    Node node;
    node.has_collectives = time.has_collectives;
    node.cost = time.is_collective ? kLowCost : micros;
    node.step = {k, true, !time.is_collective};
    node.place = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(node);
    if (time.is_collective) {
      node.step = {k, false, true};
      ++node.place;
      nodes_.push_back(std::move(node));
      AddEdge(first_[k], first_[k] + 1, micros);
    }
    last_[k] = static_cast<uint32_t>(nodes_.size() - 1);
  }

  void AddEdge(uint32_t from, uint32_t to, double latency) {
    const bool is_there = absl::c_any_of(nodes_[to].reads, [&](const Edge& e) { return e.to == from; });
    if (is_there) return;
    nodes_[to].reads.push_back({from, latency});
    nodes_[from].readers.push_back({to, latency});
  }

  void Connect(const ScopeKernels& scope, const Homes& homes, const std::vector<uint32_t>& order) {
    absl::flat_hash_map<ValueId, uint32_t> makers;
    absl::flat_hash_map<ValueId, std::vector<uint32_t>> readers;  // by home
    for (const uint32_t k : order) {
      for (const ValueId v : scope.kernels[k].reads) {
        const auto maker = makers.find(v);
        if (maker != makers.end()) AddEdge(last_[maker->second], first_[k], kLowLatency);
      }
      for (const ValueId v : scope.kernels[k].makes) {
        makers[v] = k;
        if (homes.of[v] == v) continue;
        for (const uint32_t reader : readers[homes.of[v]]) AddEdge(last_[reader], first_[k], kLowLatency);
      }
      for (const ValueId v : scope.kernels[k].reads) readers[homes.of[v]].push_back(k);
    }
  }

  bool CannotRunNow(const Node& node) const {
    return in_flight_ > 0 && (node.is_end() || node.has_collectives);
  }

  uint32_t TakeBest() {
    is_constrained_ = in_flight_ > 0 && absl::c_any_of(ready_, [&](uint32_t n) { return nodes_[n].is_end(); });
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

  uint32_t Unlocks(const Node& node) const {
    return static_cast<uint32_t>(absl::c_count_if(
        node.reads, [&](const Edge& edge) { return nodes_[edge.to].waits == 1; }));
  }

  // XLA's rules, the first that tells them apart.
  bool IsBetter(const Node& a, const Node& b) const {
    if (a.is_end() != b.is_end()) return a.is_end();
    const double a_stall = std::max(a.ready - now_, 0.0), b_stall = std::max(b.ready - now_, 0.0);
    if (a_stall != b_stall) return a_stall < b_stall;
    const auto waits = [&](const Node& n) {
      return n.is_start() && n.async_depth == 0 && !is_constrained_;
    };
    if (waits(a) != waits(b)) return waits(b);
    const auto frees = [&](const Node& n) { return n.is_start() && is_constrained_; };
    if (frees(a) != frees(b)) return frees(a);
    if (a.async_depth != b.async_depth) return a.async_depth > b.async_depth;
    if (const auto next = NextReady(); next.has_value()) {
      const double a_waste = std::abs(*next - now_ - a.cost), b_waste = std::abs(*next - now_ - b.cost);
      const bool a_fits = !a.is_start() && a_waste < b_waste;
      const bool b_fits = !b.is_start() && b_waste < a_waste;
      if (a_fits != b_fits) return a_fits;
    }
    if (a.unlocks_end != b.unlocks_end) return a.unlocks_end;
    const uint32_t a_unlocks = Unlocks(a), b_unlocks = Unlocks(b);
    if (a_unlocks != b_unlocks) return a_unlocks > b_unlocks;
    return a.place > b.place;
  }

  void Place(uint32_t n) {
    Node& node = nodes_[n];
    steps_.push_back(node.step);
    in_flight_ += node.is_end() ? 1 : node.is_start() ? -1 : 0;
    double at = now_;
    for (const Edge& edge : node.readers) at = std::max(at, nodes_[edge.to].ready + edge.latency);
    node.ready = at;
    now_ = at + node.cost;
    later_.erase(std::remove_if(later_.begin(), later_.end(), [&](double t) { return t < now_; }),
                 later_.end());
    for (const Edge& edge : node.reads) {
      Node& read = nodes_[edge.to];
      if (--read.waits > 0) continue;
      read.ready = now_;
      for (const Edge& other : read.readers)
        read.ready = std::max(read.ready, nodes_[other.to].ready + other.latency);
      ready_.push_back(edge.to);
      if (read.ready > now_) later_.push_back(read.ready);
    }
  }

  std::vector<Node> nodes_;
  std::vector<uint32_t> first_, last_;  // by kernel: its nodes
  std::vector<uint32_t> ready_;
  std::vector<double> later_;  // times of nodes that became ready later than now
  std::vector<Step> steps_;    // the last one first
  double now_ = 0;
  int in_flight_ = 0;
  bool is_constrained_ = false;  // the end of a collective waits for one in flight
};

}  // namespace

std::vector<Step> HideLatency(const ScopeKernels& scope, const Homes& homes,
                              const std::vector<uint32_t>& order,
                              absl::Span<const KernelTime> times) {
  return Scheduler(scope, homes, order, times).Run();
}

}  // namespace tessera::target
