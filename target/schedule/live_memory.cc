#include "tessera/target/schedule/live_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/own_fills.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/schedule/alive.h"
#include "tessera/target/schedule/fast_memory.h"
#include "tessera/target/schedule/kernel_order.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency_hiding.h"
#include "tessera/target/schedule/result_rooms.h"

namespace tessera::target {
namespace {

constexpr size_t kStart = std::numeric_limits<size_t>::max();  // in front of all kernels

constexpr int64_t kLargeFill = int64_t{1} << 20;

// What a scope needs.
struct ScopePeak {
  std::vector<Step> order;  // of its kernels
  int64_t bytes = 0;
  size_t place = kStart;  // in the order
  int64_t kernels = 0;    // with those of scopes in it
};

class Sweep {
 public:
  Sweep(const Dataflow& flow, const Homes& homes, absl::Span<const int64_t> bytes,
        std::vector<ScopeKernels> scopes, const Scheduling& rules)
      : rules_(rules),
        flow_(flow),
        homes_(homes),
        bytes_(bytes),
        scopes_(std::move(scopes)),
        peaks_(flow.scopes.size()) {
    FindShared();
  }

  LiveMemory Run() {
    if (HidesLatency()) {
      HideLatencyFromLeastMemory();
      UseResultRooms();
    } else if (RunsWindows()) {
      ForEachScope([&](ScopeId s) { FindOrder(s); });
    } else {
      const ModuleOrders orders = OrdersOf(PathLimit::kOfWhatIsInFront);
      TakeKind(orders, LeastKind(orders));
    }
    if (rules_.fast.bytes > 0) UseFastMemory();
    LiveMemory live;
    live.waited = std::move(waited_);
    live.peak = peaks_[0].bytes;
    live.fast = fast_;
    Collect(0, &live);
    absl::c_sort(live.at_peak);
    FillCurve(&live);
    if (HidesLatency()) FillOrder(&live);
    return live;
  }

 private:
  // Those that run within a scope come before it.
  template <typename Visit>
  void ForEachScope(Visit&& visit) const {
    for (auto s = static_cast<ScopeId>(scopes_.size()); s-- > 0;) visit(s);
  }

  // By scope and kind.
  using ModuleOrders = std::vector<std::vector<std::vector<uint32_t>>>;

  bool RunsWindows() const {
    return absl::c_any_of(flow_.nodes, [&](const Node& node) { return SendsRound(flow_, node); });
  }

  void TakeBestOrder(ScopeId s) {
    for (const auto& order : MemoryOrders(scopes_[s], homes_, bytes_, PathLimit::kOfAll)) {
      if (rules_.runs_late) TakeIfLess(s, LateOrder(scopes_[s], homes_, bytes_, order));
      TakeIfLess(s, order);
    }
    TakeIfLess(s, EagerOrder(scopes_[s], homes_, bytes_));
  }

  void UseFastMemory() {
    std::vector<std::vector<uint32_t>> orders(scopes_.size());
    for (ScopeId s = 0; s < scopes_.size(); ++s) {
      for (const Step& step : peaks_[s].order) orders[s].push_back(step.kernel);
    }
    fast_ = PlaceInFastMemory(flow_, scopes_, orders, bytes_, rules_.fast, &homes_);
    FindPeaks();
  }

  // In the orders that are found.
  void FindPeaks() {
    ForEachScope([&](ScopeId s) { peaks_[s] = PeakOf(s, std::move(peaks_[s].order)); });
  }

  void UseResultRooms() {
    std::vector<std::vector<Step>> orders;
    for (const ScopePeak& peak : peaks_) orders.push_back(peak.order);
    for (const ValueId v : GuestsOfResults(flow_, scopes_, orders, homes_, bytes_)) {
      homes_.is_free[v] = true;
    }
    FindPeaks();
  }

  void FindOrder(ScopeId s) {
    peaks_[s] = PeakOf(s, Whole(OwnOrder(scopes_[s])));
    if (s == 0 || RunsLoops(flow_, scopes_[s])) {
      TakeBestOrder(s);
    } else if (rules_.runs_late) {
      TakeIfLess(s, LateOrder(scopes_[s], homes_, bytes_, OwnOrder(scopes_[s])));
    }
  }

  static std::vector<Step> Whole(const std::vector<uint32_t>& order) {
    std::vector<Step> steps;
    for (const uint32_t k : order) steps.push_back({k});
    return steps;
  }

  bool TakeIfLess(ScopeId s, const std::vector<uint32_t>& order) {
    ScopePeak peak = PeakOf(s, Whole(order));
    if (peak.bytes >= peaks_[s].bytes) return false;
    peaks_[s] = std::move(peak);
    return true;
  }

  bool HidesLatency() const { return !rules_.seconds.empty(); }

  ModuleOrders OrdersOf(PathLimit limit) const {
    ModuleOrders orders;
    for (const ScopeKernels& scope : scopes_)
      orders.push_back(MemoryOrders(scope, homes_, bytes_, limit));
    return orders;
  }

  void TakeKind(const ModuleOrders& orders, OrderKind kind) {
    ForEachScope([&](ScopeId s) { peaks_[s] = PeakOf(s, Whole(orders[s][kind])); });
  }

  // XLA has one kind of order in the whole module: the one of which the module needs least memory, of equal ones the
  // first here.
  OrderKind LeastKind(const ModuleOrders& orders) {
    OrderKind best = kLeastMemory;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const OrderKind kind : {kLeastMemory, kDepthFirst, kOwn}) {
      TakeKind(orders, kind);
      const int64_t bytes = AsMeasured(peaks_[0].bytes, kind);
      if (bytes >= least) continue;
      least = bytes;
      best = kind;
    }
    return best;
  }

  // Of a TPU: beside loops the compiler measures up to a fifth more for the order of least memory, as its log says.
  // Why, is not established.
  int64_t AsMeasured(int64_t bytes, OrderKind kind) const {
    const bool is_more = rules_.runs_late && kind == kLeastMemory && RunsLoops(flow_, scopes_[0]);
    return is_more ? Sum(bytes, bytes / 5) : bytes;
  }

  void HideLatencyFromLeastMemory() {
    const ModuleOrders orders = OrdersOf(PathLimit::kOfAll);
    const OrderKind kind = LeastKind(orders);
    ForEachScope([&](ScopeId s) { HideLatencyIn(s, orders[s][kind]); });
  }

  void HideLatencyIn(ScopeId s, const std::vector<uint32_t>& order) {
    std::vector<KernelTime> times;
    for (const Kernel& kernel : scopes_[s].kernels) times.push_back(TimeOf(kernel.node));
    peaks_[s] = PeakOf(s, HideLatency(scopes_[s], homes_, order, times));
    for (const uint32_t k : WaitedKernels(peaks_[s].order)) {
      if (!times[k].is_own_kernel) waited_.push_back(scopes_[s].kernels[k].node);
    }
  }

  KernelTime TimeOf(NodeId n) const {
    const Node& node = flow_.nodes[n];
    KernelTime time = {rules_.seconds[n], IsMessage(node.opcode),
                       rules_.own_kernels != nullptr && (*rules_.own_kernels)[n]};
    for (const ScopeId body : node.bodies) time.has_collectives |= HasCollectives(body);
    time.is_large_fill = IsFill(flow_, node) && bytes_[node.results[0]] >= kLargeFill;
    return time;
  }

  bool HasCollectives(ScopeId s) const {
    return absl::c_any_of(scopes_[s].kernels, [&](const Kernel& kernel) {
      const KernelTime time = TimeOf(kernel.node);
      return time.is_collective || time.has_collectives;
    });
  }

  // The branch or body that needs most; kNone where there is none.
  ScopeId LargestBody(const Node& node) const {
    ScopeId most = kNone;
    for (const ScopeId body : node.bodies) {
      if (most == kNone || peaks_[body].bytes > peaks_[most].bytes) most = body;
    }
    return most;
  }

  // Takes what the kernel makes and says what is there while it runs.
  int64_t Start(const Kernel& kernel, const Step& step, Alive* alive) const {
    const int64_t before = alive->now();
    const ScopeId body = LargestBody(flow_.nodes[kernel.node]);
    if (body != kNone) {
      int64_t carried = 0;
      for (const ValueId v : kernel.consumes) {
        if (alive->Dies(v)) carried = Sum(carried, alive->Weight(alive->HomeOf(v)));
      }
      int64_t made = 0;
      for (const ValueId v : kernel.makes) made = Sum(made, alive->Begin(v));
      return Sum(before - carried, std::max(made, peaks_[body].bytes));
    }
    int64_t reused = 0;
    for (const ValueId v : kernel.makes) {
      const ValueId operand = Reused(kernel, v, alive->Begin(v), *alive);
      if (operand == kNone) continue;
      if (step.ends) {
        reused = Sum(reused, alive->Weight(alive->HomeOf(operand)));
      } else {
        alive->Drop(alive->HomeOf(operand));  // the two are one until the collective is done
      }
    }
    return alive->now() - reused;
  }

  // An operand of the same size that is not needed any more; kNone where there is none. On a GPU what
  // is updated in place, or carried by a loop, lies over nothing.
  ValueId Reused(const Kernel& kernel, ValueId made, int64_t bytes, const Alive& alive) const {
    if (bytes == 0 || (HidesLatency() && is_shared_[made])) return kNone;
    if (absl::c_linear_search(kernel.alone, made)) return kNone;
    const auto found = absl::c_find_if(kernel.reuses, [&](ValueId v) {
      const ValueId home = homes_.of[v];
      return home != homes_.of[made] && alive.Weight(home) == bytes && alive.Dies(v);
    });
    return found == kernel.reuses.end() ? kNone : *found;
  }

  void FindShared() {
    is_shared_.resize(flow_.values.size());
    for (ValueId v = 0; v < flow_.values.size(); ++v) {
      if (homes_.of[v] != v) is_shared_[homes_.of[v]] = true;
    }
    for (const ScopeKernels& scope : scopes_) {
      for (const Kernel& kernel : scope.kernels) {
        for (const ValueId v : kernel.consumes) is_shared_[v] = true;
      }
    }
  }

  // What is there while the step runs.
  int64_t Run(const Kernel& kernel, const Step& step, Alive* alive) const {
    const int64_t bytes = step.starts ? Start(kernel, step, alive) : alive->now();
    if (step.ends) alive->End(kernel);
    return bytes;
  }

  ScopePeak PeakOf(ScopeId s, std::vector<Step> order) const {
    Alive alive(scopes_[s], homes_, bytes_);
    ScopePeak peak;
    peak.bytes = alive.now();
    for (size_t place = 0; place < order.size(); ++place) {
      const Kernel& kernel = scopes_[s].kernels[order[place].kernel];
      const int64_t bytes = Run(kernel, order[place], &alive);
      if (bytes > peak.bytes) {
        peak.bytes = bytes;
        peak.place = place;
      }
      if (order[place].ends) peak.kernels += KernelsIn(flow_.nodes[kernel.node]);
    }
    peak.order = std::move(order);
    return peak;
  }

  int64_t KernelsIn(const Node& node) const {
    int64_t count = 1;
    for (const ScopeId body : node.bodies) count += peaks_[body].kernels;
    return count;
  }

  // What is alive at the peak of the scope, and in the body that runs there.
  void Collect(ScopeId s, LiveMemory* live) const {
    const ScopePeak& peak = peaks_[s];
    Alive alive(scopes_[s], homes_, bytes_);
    ScopeId body = kNone;
    for (size_t place = 0; peak.place != kStart && place <= peak.place; ++place) {
      const Step& step = peak.order[place];
      const Kernel& kernel = scopes_[s].kernels[step.kernel];
      if (place < peak.place) {
        Run(kernel, step, &alive);
        continue;
      }
      if (step.starts) Start(kernel, step, &alive);
      live->path.push_back(kernel.node);
      body = LargestBody(flow_.nodes[kernel.node]);
      for (const ValueId v : kernel.consumes) {
        if (body != kNone && alive.Dies(v)) alive.Drop(homes_.of[v]);
      }
      for (const ValueId v : kernel.makes) {
        if (body != kNone) alive.Drop(homes_.of[v]);
      }
    }
    live->at_peak.insert(live->at_peak.end(), alive.homes_alive().begin(),
                         alive.homes_alive().end());
    if (body != kNone) Collect(body, live);
  }

  void FillCurve(LiveMemory* live) const {
    Alive alive(scopes_[0], homes_, bytes_);
    for (const Step& step : peaks_[0].order) {
      const Kernel& kernel = scopes_[0].kernels[step.kernel];
      const int64_t bytes = Run(kernel, step, &alive);
      live->curve.push_back(
          {kernel.node, bytes, step.ends ? KernelsIn(flow_.nodes[kernel.node]) : 0});
    }
  }

  void FillOrder(LiveMemory* live) const {
    for (ScopeId s = 0; s < scopes_.size(); ++s) {
      for (const Step& step : peaks_[s].order) {
        live->order.push_back({scopes_[s].kernels[step.kernel].node, step.starts, step.ends});
      }
    }
  }

  const Scheduling rules_;
  const Dataflow& flow_;
  Homes homes_;
  const absl::Span<const int64_t> bytes_;
  const std::vector<ScopeKernels> scopes_;
  std::vector<ScopePeak> peaks_;  // by ScopeId
  int64_t fast_ = 0;              // of LiveMemory
  std::vector<bool> is_shared_;   // by ValueId
  std::vector<NodeId> waited_;
};

}  // namespace

LiveMemory FindLiveMemory(const Dataflow& flow, const KeptValues& kept, const Homes& homes,
                          absl::Span<const int64_t> bytes, const Scheduling& rules) {
  return Sweep(flow, homes, bytes, FindKernels(flow, kept), rules).Run();
}

}  // namespace tessera::target
