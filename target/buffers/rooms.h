// Allocations of results (rooms), and the temporaries (guests) that XLA's buffer assignment puts into them while the
// results are not there yet. In which order: shared_memory.h.

#ifndef TESSERA_TARGET_BUFFERS_ROOMS_H_
#define TESSERA_TARGET_BUFFERS_ROOMS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/target/buffers/shared_memory.h"
#include "tessera/target/buffers/spans.h"

namespace tessera::target {

// What is made, what it may be made over, and the step.
using Meetings = absl::flat_hash_set<std::tuple<size_t, size_t, int64_t>>;

// Between which steps a room, or one of several, may have place. Where a stay ends and the next one
// begins in the next step, a guest of these two steps may meet both.
struct Openness {
  int64_t first = 0, last = 0;

  // Not a guest that comes too early or stays too long; it may meet another one.
  bool MayHold(const Spans& spans) const {
    return spans.front().first >= first - 1 && spans.back().second <= last + 1;
  }
};

// The memory of a result, and when it is taken by whom.
class Room {
 public:
  Room(size_t owner, const SharingBuffer& buffer);

  size_t owner() const { return owner_; }
  const Openness& open() const { return open_; }

  bool HasPlaceFor(size_t guest, const SharingBuffer& buffer, const Meetings& meetings) const;
  void Take(size_t buffer, const Spans& spans);

 private:
  struct Stay {
    int64_t last;
    size_t buffer;
  };

  // First and last step of the buffer that is there in a step.
  std::optional<std::pair<int64_t, int64_t>> StayAt(int64_t step) const;
  bool IsFree(size_t guest, const std::pair<int64_t, int64_t>& span,
              const Meetings& meetings) const;

  size_t owner_;
  int64_t bytes_;
  int64_t end_;  // the last step of its owner
  Openness open_;
  std::map<int64_t, std::vector<Stay>> taken_;  // by first step
};

// In blocks, so that most rooms that are not open for a guest are passed over together.
class Rooms {
 public:
  void Add(size_t owner, const SharingBuffer& buffer);

  // The owner of the newest room with place, which the guest takes; the guest itself without one.
  size_t Place(size_t guest, const SharingBuffer& buffer, const Meetings& meetings);

 private:
  static constexpr size_t kBlock = 64;

  size_t EndOf(size_t block) const;
  void SumBlock(size_t block);

  std::vector<Room> rooms_;
  std::vector<Openness> blocks_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_ROOMS_H_
