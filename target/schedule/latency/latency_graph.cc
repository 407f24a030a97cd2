#include "tessera/target/schedule/latency/latency_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace tessera::target {
namespace {

// In microseconds, XLA's unit: of an edge that is no collective, and of the start or end of one.
constexpr double kLowLatency = 1, kLowCost = 1;
// Through the tuple that a barrier reads, the barrier, and an element of it.
constexpr double kBarrierLatency = 4 * kLowLatency;

class GraphBuilder {
 public:
  GraphBuilder(const ScopeKernels& scope, const Homes& homes)
      : scope_(scope), homes_(homes), first_(scope.kernels.size()), last_(scope.kernels.size()) {}

  std::vector<LatencyNode> Run(const std::vector<uint32_t>& order,
                               absl::Span<const KernelTime> times, bool moves) {
    for (const uint32_t k : order) {
      for (const ValueId v : scope_.kernels[k].reads) AddArgument(v);
      for (const ViewOfRead& view : scope_.kernels[k].views) AddView(view);
      AddKernel(k, times[k]);
    }
    for (const uint32_t k : order) {
      for (const ValueId v : scope_.kernels[k].makes) makers_[v] = k;
    }
    for (const ViewOfRead& view : views_) AddRead(view.read, no_ops_[view.view]);
    for (const uint32_t k : order) Connect(k);
    AddResults();
    for (LatencyNode& node : nodes_) AddFacts(&node);
    if (moves) MoveStartsAndEnds();
    return std::move(nodes_);
  }

 private:
  uint32_t AddNoOp() {
    LatencyNode node;
    node.is_no_op = true;
    node.cost = 0;
    node.place = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  void AddArgument(ValueId v) {
    if (is_made_.contains(v) || no_ops_.contains(v)) return;
    no_ops_[v] = AddNoOp();
  }

  void AddView(const ViewOfRead& view) {
    if (no_ops_.contains(view.view)) return;
    const uint32_t n = AddNoOp();
    no_ops_[view.view] = n;
    views_.push_back(view);
  }

  // Of what a kernel with several results makes.
  void AddElements(uint32_t k) {
    const Kernel& kernel = scope_.kernels[k];
    is_made_.insert(kernel.makes.begin(), kernel.makes.end());
    if (kernel.makes.size() < 2) return;
    for (const ValueId v : kernel.makes) {
      no_ops_[v] = AddNoOp();
      AddEdge(last_[k], no_ops_[v], kLowLatency);
    }
  }

  // From the node of a value to that of a reader.
  void AddRead(ValueId v, uint32_t reader) {
    const auto no_op = no_ops_.find(v);
    const auto maker = makers_.find(v);
    if (no_op != no_ops_.end()) {
      AddEdge(no_op->second, reader, kLowLatency);
    } else if (maker != makers_.end()) {
      AddEdge(last_[maker->second], reader, kLowLatency);
    }
  }

  void AddResults() {
    const uint32_t tuple = AddNoOp();
    for (const ValueId v : scope_.at_end) AddRead(v, tuple);
  }

  void AddKernel(uint32_t k, const KernelTime& time) {
    const double micros = time.seconds * 1e6;
    first_[k] = static_cast<uint32_t>(nodes_.size());
    LatencyNode node;
    node.stream = time.stream;
    node.inside = time.inside;
    node.is_own_kernel = time.is_own_kernel;
    node.is_large_fill = time.is_large_fill;
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
    AddElements(k);
  }

  void AddEdge(uint32_t from, uint32_t to, double latency) {
    if (!edges_.emplace(from, to).second) return;
    nodes_[to].reads.push_back({from, latency});
    nodes_[from].readers.push_back({to, latency});
  }

  void Connect(uint32_t k) {
    const Kernel& kernel = scope_.kernels[k];
    for (const ValueId v : kernel.reads) {
      const auto* const view =
          absl::c_find_if(kernel.views, [v](const ViewOfRead& one) { return one.read == v; });
      AddRead(view == kernel.views.end() ? v : view->view, first_[k]);
    }
    for (const ValueId v : kernel.follows) {
      const auto maker = makers_.find(v);
      if (maker != makers_.end() && last_[maker->second] < first_[k])
        AddEdge(last_[maker->second], first_[k], kBarrierLatency);
    }
    for (const ValueId v : kernel.makes) {
      if (homes_.of[v] != v) WriteOver(homes_.of[v], k);
    }
    for (const ValueId v : kernel.reads) readers_[homes_.of[v]].push_back(k);
  }

  // After all that read what lies there. What writes there next reads what this one writes.
  void WriteOver(ValueId home, uint32_t k) {
    for (const uint32_t reader : readers_[home]) AddEdge(last_[reader], first_[k], kLowLatency);
    readers_[home].clear();
  }

  // XLA moves each start right after the last node that it reads, then each end right in front of the first node that
  // reads it.
  void MoveStartsAndEnds() {
    std::vector<uint32_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0u);
    order = WithMoved(order, &LatencyNode::reads, &LatencyNode::readers, &LatencyNode::is_start);
    absl::c_reverse(order);
    order = WithMoved(order, &LatencyNode::readers, &LatencyNode::reads, &LatencyNode::is_end);
    absl::c_reverse(order);
    for (uint32_t place = 0; place < order.size(); ++place) nodes_[order[place]].place = place;
  }

  // `order`, but those that `moves` come as soon as all `before` them stand.
  std::vector<uint32_t> WithMoved(const std::vector<uint32_t>& order,
                                  std::vector<LatencyEdge> LatencyNode::*before,
                                  std::vector<LatencyEdge> LatencyNode::*after,
                                  bool (LatencyNode::*moves)() const) const {
    std::vector<uint32_t> moved;
    std::vector<size_t> waits;
    for (const LatencyNode& node : nodes_) waits.push_back((node.*before).size());
    std::vector<bool> stands(nodes_.size());
    const auto add = [&](uint32_t n) {
      if (stands[n]) return false;
      stands[n] = true;
      moved.push_back(n);
      for (const LatencyEdge& edge : nodes_[n].*after) --waits[edge.to];
      return true;
    };
    for (const uint32_t n : order) {
      if (!add(n)) continue;
      for (const LatencyEdge& edge : nodes_[n].*after) {
        if ((nodes_[edge.to].*moves)() && waits[edge.to] == 0) add(edge.to);
      }
    }
    return moved;
  }

  void AddFacts(LatencyNode* node) const {
    node->waits = static_cast<uint32_t>(node->readers.size());
    for (const LatencyEdge& edge : node->reads) {
      const LatencyNode& read = nodes_[edge.to];
      const double time = node->is_end() && !node->is_own_kernel ? edge.latency : 0;
      node->async_depth = std::max(node->async_depth, read.async_depth + time);
      node->unlocks_end |= read.is_end();
    }
  }

  const ScopeKernels& scope_;
  const Homes& homes_;
  std::vector<LatencyNode> nodes_;
  std::vector<uint32_t> first_, last_;  // by kernel: its nodes
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> edges_;
  absl::flat_hash_map<ValueId, uint32_t> makers_;
  absl::flat_hash_map<ValueId, uint32_t> no_ops_;  // nodes of arguments, elements and views
  std::vector<ViewOfRead> views_;
  absl::flat_hash_set<ValueId> is_made_;
  absl::flat_hash_map<ValueId, std::vector<uint32_t>> readers_;  // by home
};

}  // namespace

std::vector<LatencyNode> LatencyGraph(const ScopeKernels& scope, const Homes& homes,
                                      const std::vector<uint32_t>& order,
                                      absl::Span<const KernelTime> times, bool moves_collectives) {
  return GraphBuilder(scope, homes).Run(order, times, moves_collectives);
}

}  // namespace tessera::target
