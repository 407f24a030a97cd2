#include "tessera/target/schedule/result_rooms.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/target/buffers/shared_memory.h"

namespace tessera::target {
namespace {

// Buffers for target/buffers: rooms, then guests, in the order in which they are made.
class RoomFinder {
 public:
  RoomFinder(const Dataflow& flow, const ScopeKernels& entry, absl::Span<const Step> order,
             const Homes& homes, absl::Span<const int64_t> bytes)
      : flow_(flow), entry_(entry), order_(order), homes_(homes), bytes_(bytes) {}

  std::vector<ValueId> Run() {
    FindLives();
    for (const ResultRoom& room : homes_.rooms) AddRoom(room);
    const size_t rooms = buffers_.size();
    if (rooms == 0) return {};
    AddGuests();
    const std::vector<size_t> places = FindSharedMemory(buffers_, Reuses());
    std::vector<ValueId> guests;
    for (size_t k = rooms; k < places.size(); ++k) {
      if (places[k] != k) guests.push_back(guests_[k - rooms]);
    }
    return guests;
  }

 private:
  struct Life {
    int64_t first = 0, last = 0;
    bool is_carried = false;  // by a loop
  };

  int64_t End() const { return static_cast<int64_t>(order_.size()); }

  void FindLives() {
    for (int64_t step = 0; step < End(); ++step) {
      const Kernel& kernel = KernelAt(step);
      for (const ValueId v : kernel.makes) {
        const auto [life, is_new] = lives_.try_emplace(homes_.of[v], Life{step, step});
        if (is_new) made_.push_back(homes_.of[v]);
        life->second.last = step;
        if (!flow_.nodes[kernel.node].bodies.empty()) life->second.is_carried = true;
      }
      for (const ValueId v : kernel.reads) lives_[homes_.of[v]].last = step;
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
      guests_.push_back(v);
      buffers_.push_back(
          {bytes_[v], Sharing::kGuest, 1, buffers_.size(), {{life.first, life.last}}});
    }
  }

  // What a kernel may write over what it reads, in the step in which it starts.
  std::vector<BufferReuse> Reuses() const {
    std::vector<BufferReuse> reuses;
    for (int64_t step = 0; step < End(); ++step) {
      if (!order_[static_cast<size_t>(step)].starts) continue;
      const Kernel& kernel = KernelAt(step);
      for (const ValueId made : kernel.makes) {
        if (absl::c_linear_search(kernel.alone, made)) continue;
        for (const ValueId operand : kernel.reuses) {
          const auto over = numbers_.find(homes_.of[operand]),
                     self = numbers_.find(homes_.of[made]);
          if (over == numbers_.end() || self == numbers_.end()) continue;
          reuses.push_back({self->second, over->second, step, false});
        }
      }
    }
    return reuses;
  }

  const Kernel& KernelAt(int64_t step) const {
    return entry_.kernels[order_[static_cast<size_t>(step)].kernel];
  }

  const Dataflow& flow_;
  const ScopeKernels& entry_;
  const absl::Span<const Step> order_;
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  absl::flat_hash_map<ValueId, Life> lives_;      // by home
  std::vector<ValueId> made_;                     // homes
  absl::flat_hash_map<ValueId, size_t> numbers_;  // by home: in buffers_
  std::vector<ValueId> guests_;
  std::vector<SharingBuffer> buffers_;
};

}  // namespace

std::vector<ValueId> GuestsOfResults(const Dataflow& flow, const ScopeKernels& entry,
                                     absl::Span<const Step> order, const Homes& homes,
                                     absl::Span<const int64_t> bytes) {
  return RoomFinder(flow, entry, order, homes, bytes).Run();
}

}  // namespace tessera::target
