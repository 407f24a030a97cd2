#include "tessera/target/schedule/result_rooms.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/buffers/shared_memory.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/schedule/flattened_lives.h"
#include "tessera/target/union_find.h"

namespace tessera::target {
namespace {

// Buffers for target/buffers: rooms, then guests, in the order in which they are made.
class RoomFinder {
 public:
  RoomFinder(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
             absl::Span<const std::vector<Step>> orders, const Homes& homes,
             absl::Span<const int64_t> bytes)
      : flow_(flow),
        scopes_(scopes),
        orders_(orders),
        homes_(homes),
        bytes_(bytes),
        lives_(flow, scopes, orders, homes),
        buffer_of_(flow.values.size()) {
    std::iota(buffer_of_.begin(), buffer_of_.end(), 0);
  }

  std::vector<ValueId> Run() {
    for (const ResultRoom& room : homes_.rooms) AddRoom(room);
    const size_t rooms = buffers_.size();
    ForEachStep([&](ScopeId s, size_t step) { JoinCarried(s, step); });
    AddGuests();
    const std::vector<size_t> places = FindSharedMemory(buffers_, Reuses());
    std::vector<ValueId> guests;
    for (size_t k = rooms; k < places.size(); ++k) {
      const std::vector<ValueId>& homes = guests_[k - rooms];
      if (places[k] != k) guests.insert(guests.end(), homes.begin(), homes.end());
    }
    return guests;
  }

 private:
  template <typename Visit>
  void ForEachStep(Visit visit) const {
    for (ScopeId s = 0; s < scopes_.size(); ++s) {
      for (size_t step = 0; step < orders_[s].size(); ++step) visit(s, step);
    }
  }

  const Kernel& KernelAt(ScopeId s, size_t step) const {
    return scopes_[s].kernels[orders_[s][step].kernel];
  }

  void AddRoom(const ResultRoom& room) {
    Spans spans;
    int64_t first = lives_.end();
    for (const ValueId v : room.arrays) {
      const FlatLife* life = lives_.of(homes_.of[v]);
      if (flow_.values[v].scope == 0 && life != nullptr) first = std::min(first, life->first);
      numbers_[homes_.of[v]] = buffers_.size();
    }
    if (room.argument != kNone) {
      const FlatLife* life = lives_.of(room.argument);
      spans.emplace_back(-1, life == nullptr ? 0 : life->last);  // there before the first step
      numbers_[room.argument] = buffers_.size();
    }
    spans.emplace_back(first, lives_.end());
    Merge(&spans);
    buffers_.push_back(
        {bytes_[room.arrays.front()], Sharing::kRoom, 1, buffers_.size(), std::move(spans)});
  }

  // What a loop carries is one buffer: the initial value, which may be a copy, the element of a trip and the result.
  void JoinCarried(ScopeId s, size_t step) {
    const Kernel& kernel = KernelAt(s, step);
    const Node& node = flow_.nodes[kernel.node];
    if (node.bodies.empty()) return;
    if (node.opcode != hlo::Opcode::kWhile) return KeepOut(kernel, node);
    const Scope& body = flow_.scopes[node.bodies[0]];
    for (size_t leaf = 0; leaf < node.results.size(); ++leaf) {
      const ValueId result = homes_.of[node.results[leaf]];
      const ValueId element = homes_.of[body.parameters[leaf]];
      Join(result, element);
      JoinInitial(kernel, node.operands[leaf], result, lives_.time(s, step).first);
      AlongViews(body.roots[leaf], [&](ValueId v) { JoinNext(homes_.of[v], element); });
    }
  }

  // Of elements with one initial value, such as stacks of zeros, the first has it.
  void JoinInitial(const Kernel& kernel, ValueId initial, ValueId result, int64_t begins) {
    bool is_owned = false;
    AlongViews(initial, [&](ValueId v) {
      if (!absl::c_linear_search(kernel.consumes, v) || !owned_.insert(homes_.of[v]).second) return;
      is_owned = true;
      Join(homes_.of[v], result);
    });
    if (!is_owned) lives_.BeginAtCopy(result, begins);
  }

  // The next element is made where the old one is, unless that is still needed: then it is copied.
  void JoinNext(ValueId next, ValueId element) {
    const FlatLife *made = lives_.of(next), *read = lives_.of(element);
    if (made == nullptr || flow_.NodeOf(next) == nullptr) return;
    if (read == nullptr || made->first > read->last) Join(next, element);
  }

  // What branches give, and a conditional's results.
  void KeepOut(const Kernel& kernel, const Node& node) {
    for (const ValueId v : kernel.makes) kept_out_.insert(homes_.of[v]);
    for (const ScopeId branch : node.bodies) {
      for (const ValueId v : scopes_[branch].at_end) kept_out_.insert(homes_.of[v]);
    }
  }

  void Join(ValueId a, ValueId b) { buffer_of_[RootOf(a, &buffer_of_)] = RootOf(b, &buffer_of_); }

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

  void AddGuests() {
    absl::flat_hash_map<ValueId, std::vector<ValueId>> homes;  // by buffer
    for (ValueId v = 0; v < flow_.values.size(); ++v) {
      if (homes_.of[v] == v && lives_.of(v) != nullptr) homes[RootOf(v, &buffer_of_)].push_back(v);
    }
    for (const ValueId v : lives_.made()) {
      const auto found = homes.find(RootOf(v, &buffer_of_));
      if (found == homes.end()) continue;
      if (MayBeGuest(found->second)) AddGuest(found->second);
      homes.erase(found);
    }
  }

  bool MayBeGuest(const std::vector<ValueId>& homes) const {
    return absl::c_none_of(homes, [&](ValueId v) {
      return homes_.is_free[v] || bytes_[v] == 0 || kept_out_.contains(v);
    });
  }

  void AddGuest(const std::vector<ValueId>& homes) {
    FlatLife life = *lives_.of(homes[0]);
    int64_t bytes = 0;
    for (const ValueId v : homes) {
      life.first = std::min(life.first, lives_.of(v)->first);
      life.last = std::max(life.last, lives_.of(v)->last);
      bytes = std::max(bytes, bytes_[v]);
      numbers_[v] = buffers_.size();
    }
    guests_.push_back(homes);
    buffers_.push_back({bytes, Sharing::kGuest, 1, buffers_.size(), {{life.first, life.last}}});
  }

  // What a kernel may write over what it reads, in the step in which it starts.
  std::vector<BufferReuse> Reuses() const {
    std::vector<BufferReuse> reuses;
    ForEachStep([&](ScopeId s, size_t step) {
      if (!orders_[s][step].starts) return;
      const Kernel& kernel = KernelAt(s, step);
      for (const ValueId made : kernel.makes) {
        if (absl::c_linear_search(kernel.alone, made)) continue;
        for (const ValueId operand : kernel.reuses) {
          const auto over = numbers_.find(homes_.of[operand]),
                     self = numbers_.find(homes_.of[made]);
          if (over == numbers_.end() || self == numbers_.end()) continue;
          reuses.push_back({self->second, over->second, lives_.time(s, step).first, false});
        }
      }
    });
    return reuses;
  }

  const Dataflow& flow_;
  const absl::Span<const ScopeKernels> scopes_;
  const absl::Span<const std::vector<Step>> orders_;
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  FlattenedLives lives_;
  std::vector<uint32_t> buffer_of_;                // by home: union-find
  absl::flat_hash_set<ValueId> kept_out_, owned_;  // homes
  absl::flat_hash_map<ValueId, size_t> numbers_;   // by home: in buffers_
  std::vector<std::vector<ValueId>> guests_;       // homes of each
  std::vector<SharingBuffer> buffers_;
};

}  // namespace

std::vector<ValueId> GuestsOfResults(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                                     absl::Span<const std::vector<Step>> orders, const Homes& homes,
                                     absl::Span<const int64_t> bytes) {
  if (homes.rooms.empty()) return {};
  return RoomFinder(flow, scopes, orders, homes, bytes).Run();
}

}  // namespace tessera::target
