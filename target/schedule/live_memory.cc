#include "tessera/target/schedule/live_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/own_fills.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/schedule/alive.h"
#include "tessera/target/schedule/deferred_fills.h"
#include "tessera/target/schedule/fast_memory.h"
#include "tessera/target/schedule/held_picks.h"
#include "tessera/target/schedule/kernel_order.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency/kernel_times.h"
#include "tessera/target/schedule/latency/latency_hiding.h"
#include "tessera/target/schedule/result_rooms.h"

namespace tessera::target {
namespace {

constexpr size_t kStart = std::numeric_limits<size_t>::max();  // in front of all kernels

// The memory of a scope.
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
        times_(flow, scopes_, bytes, rules_),
        peaks_(flow.scopes.size()) {
    FindShared();
  }

  LiveMemory Run() {
    const ModuleOrders orders =
        OrdersOf(IsOfGpu() ? PathLimit::kOfAll : PathLimit::kOfWhatIsInFront);
    const OrderKind kind = LeastKind(orders);
    ForEachScope([&](ScopeId s) { TakeOrder(s, orders[s][kind]); });
    if (IsOfGpu()) UseResultRooms();
    if (rules_.fast.bytes > 0) UseFastMemory();
    LiveMemory live;
    live.waited = std::move(waited_);
    live.peak = peaks_[0].bytes;
    live.measured = measured_;
    live.fast = std::move(fast_);
    absl::c_sort(live.fast.values);
    Collect(0, &live);
    absl::c_sort(live.at_peak);
    FillCurve(&live);
    if (rules_.hides_latency()) FillOrder(&live);
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

  void UseFastMemory() {
    std::vector<std::vector<uint32_t>> orders(scopes_.size());
    for (ScopeId s = 0; s < scopes_.size(); ++s) {
      for (const Step& step : peaks_[s].order) {
        if (step.ends) orders[s].push_back(step.kernel);
      }
    }
    fast_ = PlaceInFastMemory(flow_, scopes_, orders, bytes_, rules_.fast, &homes_);
    FindPeaks();
  }

  // In the orders that are found.
  void FindPeaks() {
    ForEachScope([&](ScopeId s) { peaks_[s] = PeakOf(s, std::move(peaks_[s].order)); });
  }

  void UseResultRooms() {
    if (homes_.rooms.empty()) return;
    std::vector<std::vector<Step>> orders;
    for (const ScopePeak& peak : peaks_) orders.push_back(peak.order);
    for (const ValueId v : GuestsOfResults(flow_, scopes_, orders, homes_, bytes_)) {
      homes_.is_free[v] = true;
    }
    FindPeaks();
  }

  static std::vector<Step> Whole(const std::vector<uint32_t>& order) {
    std::vector<Step> steps;
    for (const uint32_t k : order) steps.push_back({k});
    return steps;
  }

  bool IsOfGpu() const { return rules_.hides_latency() && !rules_.is_of_tpu(); }

  ModuleOrders OrdersOf(PathLimit limit) const {
    ModuleOrders orders;
    for (const ScopeKernels& scope : scopes_)
      orders.push_back(MemoryOrders(scope, homes_, bytes_, limit));
    return orders;
  }

  // XLA has one kind of order in the whole module: the one of which the module needs least memory, of equal ones the
  // first here.
  OrderKind LeastKind(const ModuleOrders& orders) {
    OrderKind best = kLeastMemory;
    measured_ = std::numeric_limits<int64_t>::max();
    measures_ = true;
    for (const OrderKind kind : {kLeastMemory, kDepthFirst, kOwn}) {
      ForEachScope([&](ScopeId s) { peaks_[s] = PeakOf(s, Whole(orders[s][kind])); });
      if (peaks_[0].bytes >= measured_) continue;
      measured_ = peaks_[0].bytes;
      best = kind;
    }
    measures_ = false;
    return best;
  }

  void TakeOrder(ScopeId s, const std::vector<uint32_t>& order) {
    peaks_[s] = PeakOf(s, rules_.hides_latency() ? HideLatencyIn(s, order) : Whole(order));
  }

  // On a TPU XLA leaves a computation as it is that has nothing asynchronous.
  std::vector<Step> HideLatencyIn(ScopeId s, const std::vector<uint32_t>& order) {
    const std::vector<KernelTime> times = times_.Of(s);
    const bool hides = IsOfGpu() || absl::c_any_of(times, [](const KernelTime& time) {
                         return time.is_collective;
                       });
    const std::vector<uint32_t> deferred = IsOfGpu() ? order : WithFillsDeferred(s, order, times);
    std::vector<Step> steps =
        hides ? HideLatency(scopes_[s], homes_, deferred, times, rules_.how) : Whole(deferred);
    if (rules_.how.has_sparse_cores) HoldPicks(flow_, scopes_[s], &steps);
    times_.Add(s, steps);
    if (!IsOfGpu()) return steps;
    for (const uint32_t k : WaitedKernels(steps)) {
      if (!times[k].is_own_kernel) waited_.push_back(scopes_[s].kernels[k].node);
    }
    return steps;
  }

  std::vector<uint32_t> WithFillsDeferred(ScopeId s, const std::vector<uint32_t>& order,
                                          const std::vector<KernelTime>& times) const {
    std::vector<bool> is_fill;
    for (const KernelTime& time : times) is_fill.push_back(time.is_large_fill);
    return DeferFills(scopes_[s], order, is_fill);
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
      const int64_t within = Sum(before - carried, std::max(made, peaks_[body].bytes));
      return measures_ ? std::max(within, Sum(before, BytesOf(kernel.makes))) : within;
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
    return Sum(alive->now() - reused, measures_ ? WrittenOver(kernel) : 0);
  }

  int64_t BytesOf(absl::Span<const ValueId> values) const {
    int64_t sum = 0;
    for (const ValueId v : values) sum = Sum(sum, bytes_[v]);
    return sum;
  }

  // XLA's measure frees what lies there when the new value does already.
  int64_t WrittenOver(const Kernel& kernel) const {
    int64_t sum = 0;
    for (const ValueId v : kernel.makes) {
      if (homes_.of[v] != v) sum = Sum(sum, bytes_[v]);
    }
    return sum;
  }

  // An operand of the same size that is not needed any more; kNone where there is none. On a GPU what
  // is updated in place, or carried by a loop, lies over nothing.
  ValueId Reused(const Kernel& kernel, ValueId made, int64_t bytes, const Alive& alive) const {
    if (bytes == 0 || (IsOfGpu() && is_shared_[made])) return kNone;
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

  // The bytes alive while the step runs.
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

  // The values alive at the peak of the scope, and in the body that runs there.
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
  KernelTimes times_;
  std::vector<ScopePeak> peaks_;  // by ScopeId
  int64_t measured_ = 0;
  bool measures_ = false;        // as XLA does to choose an order, which is more than it needs
  FastUse fast_;                 // of LiveMemory
  std::vector<bool> is_shared_;  // by ValueId
  std::vector<NodeId> waited_;
};

}  // namespace

LiveMemory FindLiveMemory(const Dataflow& flow, const KeptValues& kept, const Homes& homes,
                          absl::Span<const int64_t> bytes, const Scheduling& rules) {
  return Sweep(flow, homes, bytes, FindKernels(flow, kept), rules).Run();
}

}  // namespace tessera::target
