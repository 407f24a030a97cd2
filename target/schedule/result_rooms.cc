#include "tessera/target/schedule/result_rooms.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/buffers/shared_memory.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

// Buffers for target/buffers: rooms, then guests, in the order in which they are made.
class RoomFinder {
 public:
  RoomFinder(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
             absl::Span<const Step> order, const Homes& homes, absl::Span<const int64_t> bytes)
      : flow_(flow),
        scopes_(scopes),
        entry_(scopes[0]),
        order_(order),
        homes_(homes),
        bytes_(bytes) {}

  std::vector<ValueId> Run() {
    FindLives();
    for (const ResultRoom& room : homes_.rooms) AddRoom(room);
    const size_t rooms = buffers_.size();
    if (rooms == 0) return {};
    AddGuests();
    AddStacksInLoops();
    const std::vector<size_t> places = FindSharedMemory(buffers_, Reuses());
    std::vector<ValueId> guests;
    for (size_t k = rooms; k < places.size(); ++k) {
      const ValueList& homes = guests_[k - rooms];
      if (places[k] != k) guests.insert(guests.end(), homes.begin(), homes.end());
    }
    return guests;
  }

 private:
  struct Life {
    int64_t first = 0, last = 0;
    bool is_carried = false;  // by a loop
  };

  // Two for each step: a loop copies what it carries before it runs.
  int64_t End() const { return 2 * Steps(); }
  int64_t Steps() const { return static_cast<int64_t>(order_.size()); }

  void FindLives() {
    for (int64_t step = 0; step < Steps(); ++step) {
      const Kernel& kernel = KernelAt(step);
      for (const ValueId v : kernel.makes) {
        const auto [life, is_new] = lives_.try_emplace(homes_.of[v], Life{2 * step, 2 * step});
        if (is_new) made_.push_back(homes_.of[v]);
        life->second.last = 2 * step;
        if (!flow_.nodes[kernel.node].bodies.empty()) life->second.is_carried = true;
      }
      for (const ValueId v : kernel.reads) {
        const bool is_copied = absl::c_linear_search(kernel.consumes, v);
        lives_[homes_.of[v]].last = is_copied ? 2 * step - 1 : 2 * step;
      }
      for (const ValueId v : kernel.consumes) lives_[homes_.of[v]].is_carried = true;
    }
    for (const ValueId v : entry_.at_end) lives_[homes_.of[v]].last = End();
  }

  void AddRoom(const ResultRoom& room) {
    Spans spans;
    int64_t first = End();
    for (const ValueId v : room.arrays) {
      const auto life = lives_.find(homes_.of[v]);
      if (flow_.values[v].scope == 0 && life != lives_.end())
        first = std::min(first, life->second.first);
      numbers_[homes_.of[v]] = buffers_.size();
    }
    if (room.argument != kNone) {
      spans.emplace_back(-1, lives_[room.argument].last);  // it is there before the first step
      numbers_[room.argument] = buffers_.size();
    }
    spans.emplace_back(first, End());
    Merge(&spans);
    buffers_.push_back(
        {bytes_[room.arrays.front()], Sharing::kRoom, 1, buffers_.size(), std::move(spans)});
  }

  void AddGuests() {
    for (const ValueId v : made_) {
      const Life& life = lives_[v];
      if (homes_.is_free[v] || bytes_[v] == 0 || life.is_carried) continue;
      numbers_[v] = buffers_.size();
      AddGuest({v}, bytes_[v], life.first, life.last);
    }
  }

  void AddGuest(ValueList homes, int64_t bytes, int64_t first, int64_t last) {
    guests_.push_back(std::move(homes));
    buffers_.push_back({bytes, Sharing::kGuest, 1, buffers_.size(), {{first, last}}});
  }

  // What loops within loops of the entry carry and make anew, as the stacks of a scan: there while the outer one runs.
  void AddStacksInLoops() {
    for (int64_t step = 0; step < Steps(); ++step) {
      for (const ScopeId body : flow_.nodes[KernelAt(step).node].bodies)
        AddStacksOf(body, 2 * step);
    }
  }

  void AddStacksOf(ScopeId scope, int64_t time) {
    const NextTrip next = NextTripOf(flow_.scopes[scope]);
    for (const Kernel& kernel : scopes_[scope].kernels) {
      const Node& node = flow_.nodes[kernel.node];
      if (node.opcode != hlo::Opcode::kWhile) continue;
      AddStacksOfLoop(kernel, next, time);
      for (const ScopeId body : node.bodies) AddStacksOf(body, time);
    }
  }

  // By value: the parameters as which the next trip of a loop has it, or a view of it; a branch has none.
  using NextTrip = absl::flat_hash_map<ValueId, ValueList>;

  NextTrip NextTripOf(const Scope& body) const {
    NextTrip next;
    const size_t leaves = std::min(body.roots.size(), body.parameters.size());
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
      AlongViews(body.roots[leaf], [&](ValueId v) { next[v].push_back(body.parameters[leaf]); });
    }
    return next;
  }

  void AddStacksOfLoop(const Kernel& kernel, const NextTrip& next, int64_t time) {
    const Node& node = flow_.nodes[kernel.node];
    const absl::flat_hash_set<ValueId> reads(kernel.reads.begin(), kernel.reads.end());
    const absl::flat_hash_set<ValueId> consumes(kernel.consumes.begin(), kernel.consumes.end());
    for (size_t leaf = 0; leaf < node.results.size(); ++leaf) {
      const ValueId result = node.results[leaf];
      if (homes_.of[result] != result || homes_.is_free[result] || bytes_[result] == 0) continue;
      // Not in the memory of what the outer loop carries: that is needed meanwhile.
      const auto carried = next.find(result);
      if (carried != next.end() &&
          !absl::c_all_of(carried->second, [&](ValueId v) { return reads.contains(v); })) {
        continue;
      }
      ValueList homes = {result, flow_.scopes[node.bodies[0]].parameters[leaf]};
      AlongViews(node.operands[leaf], [&](ValueId v) {
        if (consumes.contains(v)) homes.push_back(homes_.of[v]);
      });
      AddGuest(std::move(homes), bytes_[result], time, time);
    }
  }

  // Visits v, and what it is a view of.
  template <typename Visit>
  void AlongViews(ValueId v, Visit visit) const {
    visit(v);
    for (const Node* node = flow_.NodeOf(v);
         node != nullptr && KindOf(node->opcode) == OpKind::kView; node = flow_.NodeOf(v)) {
      v = flow_.ViewedBy(v);
      visit(v);
    }
  }

  // What a kernel may write over what it reads, in the step in which it starts.
  std::vector<BufferReuse> Reuses() const {
    std::vector<BufferReuse> reuses;
    for (int64_t step = 0; step < Steps(); ++step) {
      if (!order_[static_cast<size_t>(step)].starts) continue;
      const Kernel& kernel = KernelAt(step);
      for (const ValueId made : kernel.makes) {
        if (absl::c_linear_search(kernel.alone, made)) continue;
        for (const ValueId operand : kernel.reuses) {
          const auto over = numbers_.find(homes_.of[operand]),
                     self = numbers_.find(homes_.of[made]);
          if (over == numbers_.end() || self == numbers_.end()) continue;
          reuses.push_back({self->second, over->second, 2 * step, false});
        }
      }
    }
    return reuses;
  }

  const Kernel& KernelAt(int64_t step) const {
    return entry_.kernels[order_[static_cast<size_t>(step)].kernel];
  }

  const Dataflow& flow_;
  const absl::Span<const ScopeKernels> scopes_;
  const ScopeKernels& entry_;
  const absl::Span<const Step> order_;
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  absl::flat_hash_map<ValueId, Life> lives_;      // by home
  std::vector<ValueId> made_;                     // homes
  absl::flat_hash_map<ValueId, size_t> numbers_;  // by home: in buffers_
  std::vector<ValueList> guests_;
  std::vector<SharingBuffer> buffers_;
};

}  // namespace

std::vector<ValueId> GuestsOfResults(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                                     absl::Span<const Step> order, const Homes& homes,
                                     absl::Span<const int64_t> bytes) {
  return RoomFinder(flow, scopes, order, homes, bytes).Run();
}

}  // namespace tessera::target
