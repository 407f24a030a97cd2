#include "tessera/target/buffers/heap/heap_arrays.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

constexpr size_t kNobody = static_cast<size_t>(-1);

class HeapOfArrays {
 public:
  HeapOfArrays(std::vector<HeapArray> arrays, const std::vector<int64_t>& bytes)
      : arrays_(std::move(arrays)),
        bytes_(bytes),
        begin_(arrays_.size(), -1),
        end_(arrays_.size(), -1),
        places_(bytes.size()) {}

  HeapPacking Pack() {
    SortByFirst();
    LetFollow();
    SortByFirst();
    Simulate();
    return PackPlaces();
  }

 private:
  struct Place {
    size_t first = kNobody, latest = kNobody;  // arrays
    Spans spans;
    int64_t end = 0;
  };

  void SortByFirst() {
    by_first_.resize(arrays_.size());
    std::iota(by_first_.begin(), by_first_.end(), size_t{0});
    absl::c_stable_sort(by_first_, [this](size_t a, size_t b) {
      return std::tie(arrays_[a].first, arrays_[a].last) <
             std::tie(arrays_[b].first, arrays_[b].last);
    });
  }

  // Each array ends where the next one of its buffer begins; the last one lasts as long as any.
  void LetFollow() {
    std::vector<size_t> latest(bytes_.size(), kNobody);  // by buffer
    for (const size_t k : by_first_) {
      HeapArray& array = arrays_[k];
      size_t& before = latest[array.buffer];
      if (before != kNobody) {
        array.last = std::max(array.last, arrays_[before].last);
        arrays_[before].last = std::min(arrays_[before].last, array.first);
      }
      before = k;
    }
  }

  void Simulate() {
    std::vector<size_t> by_last = by_first_;
    absl::c_stable_sort(by_last,
                        [this](size_t a, size_t b) { return arrays_[a].last < arrays_[b].last; });
    size_t next = 0;
    for (const size_t k : by_first_) {
      while (arrays_[by_last[next]].last < arrays_[k].first) Release(by_last[next++]);
      Allocate(k);
    }
    while (next < by_last.size()) Release(by_last[next++]);
  }

  void Allocate(size_t k) {
    const HeapArray& array = arrays_[k];
    Place& place = places_[array.place];
    if (array.place != array.buffer && place.latest != kNobody) Release(place.latest);
    begin_[k] = now_++;
    place.latest = k;
    if (place.first == kNobody) place.first = k;
    place.spans.emplace_back(array.first, array.last);
  }

  void Release(size_t k) {
    if (end_[k] >= 0) return;
    end_[k] = now_++;
    places_[arrays_[k].place].end = end_[k];
  }

  HeapPacking PackPlaces() {
    std::vector<size_t> order;  // places, as XLA numbers their first arrays
    for (size_t k = 0; k < places_.size(); ++k) {
      if (places_[k].first != kNobody) order.push_back(k);
    }
    absl::c_sort(order, [this](size_t a, size_t b) { return places_[a].first < places_[b].first; });
    std::vector<HeapBuffer> buffers;
    for (const size_t k : order) {
      Place& place = places_[k];
      Merge(&place.spans);
      const int64_t begin = begin_[place.first];
      buffers.push_back(
          {bytes_[k], std::move(place.spans), end_[place.first] - begin, place.end - begin});
    }
    HeapPacking packed = PackHeap(buffers);
    std::vector<int64_t> offsets(bytes_.size(), -1);
    for (size_t k = 0; k < order.size(); ++k) offsets[order[k]] = packed.offsets[k];
    for (const HeapArray& array : arrays_) offsets[array.buffer] = offsets[array.place];
    packed.offsets = std::move(offsets);
    return packed;
  }

  std::vector<HeapArray> arrays_;
  const std::vector<int64_t>& bytes_;  // by buffer
  std::vector<size_t> by_first_;       // arrays
  std::vector<int64_t> begin_, end_;   // by array
  std::vector<Place> places_;          // by buffer
  int64_t now_ = 0;                    // allocations and releases so far
};

}  // namespace

HeapPacking PackArrays(std::vector<HeapArray> arrays, const std::vector<int64_t>& bytes) {
  return HeapOfArrays(std::move(arrays), bytes).Pack();
}

}  // namespace tessera::target
