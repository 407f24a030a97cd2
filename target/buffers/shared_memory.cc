#include "tessera/target/buffers/shared_memory.h"

#include <algorithm>
#include <tuple>

#include "absl/algorithm/container.h"
#include "tessera/target/buffers/rooms.h"

namespace tessera::target {
namespace {

class Assignment {
 public:
  Assignment(const std::vector<SharingBuffer>& buffers, const std::vector<BufferReuse>& reuses)
      : buffers_(buffers), reuses_(reuses) {
    for (size_t k = 0; k < buffers.size(); ++k) place_.push_back(k);
  }

  std::vector<size_t> Run() {
    FillRooms();
    LieInChains();
    for (size_t& place : place_) place = PlaceOf(place);
    return std::move(place_);
  }

 private:
  void FillRooms() {
    Meetings meetings;
    for (const BufferReuse& reuse : reuses_) {
      meetings.insert({reuse.made, reuse.operand, reuse.step});
    }
    Rooms rooms;
    for (const size_t k : BySize()) {
      if (buffers_[k].sharing == Sharing::kRoom) {
        rooms.Add(k, buffers_[k]);
      } else {
        place_[k] = rooms.Place(k, buffers_[k], meetings);
      }
    }
  }

  std::vector<size_t> BySize() const {
    std::vector<size_t> order;
    for (size_t k = 0; k < buffers_.size(); ++k) {
      if (buffers_[k].sharing != Sharing::kNone && !buffers_[k].spans.empty()) order.push_back(k);
    }
    const auto key = [this](size_t k) {
      return std::make_tuple(-buffers_[k].bytes, buffers_[k].sharing != Sharing::kRoom,
                             buffers_[k].position);
    };
    absl::c_stable_sort(order, [&](size_t a, size_t b) { return key(a) < key(b); });
    return order;
  }

  // A guest in no room ends where another one begins, and nobody else is needed there.
  void LieInChains() {
    std::vector<int64_t> last;
    for (const SharingBuffer& buffer : buffers_) {
      last.push_back(buffer.spans.empty() ? -1 : buffer.spans.back().second);
    }
    for (const BufferReuse& reuse : reuses_) {
      if (!reuse.is_direct || HasMore(reuse.made) || HasMore(reuse.operand)) continue;
      if (!IsAlone(reuse.made) || !IsAlone(reuse.operand)) continue;
      const size_t into = PlaceOf(reuse.operand);
      if (place_[reuse.made] != reuse.made || into == reuse.made) continue;
      const bool is_born = buffers_[reuse.made].spans.front().first == reuse.step;
      if (!is_born || last[into] != reuse.step) continue;
      place_[reuse.made] = into;
      last[into] = last[reuse.made];
    }
  }

  bool HasMore(size_t k) const { return buffers_[k].arrays > 1; }

  bool IsAlone(size_t k) const {
    return buffers_[k].sharing == Sharing::kGuest && !buffers_[k].spans.empty() &&
           buffers_[PlaceOf(k)].sharing == Sharing::kGuest;
  }

  size_t PlaceOf(size_t k) const {
    while (place_[k] != k) k = place_[k];
    return k;
  }

  const std::vector<SharingBuffer>& buffers_;
  const std::vector<BufferReuse>& reuses_;
  std::vector<size_t> place_;
};

}  // namespace

std::vector<size_t> FindSharedMemory(const std::vector<SharingBuffer>& buffers,
                                     const std::vector<BufferReuse>& reuses) {
  return Assignment(buffers, reuses).Run();
}

}  // namespace tessera::target
