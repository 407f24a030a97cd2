#include "tessera/target/buffers/heap/heap_packing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/buffers/step_tree.h"

namespace tessera::target {
namespace {

// The smallest gap that is large enough, the lowest of these; above all where there is none.
int64_t BestFit(int64_t bytes, std::vector<Piece>* taken) {
  absl::c_sort(*taken);
  int64_t best = -1, smallest = std::numeric_limits<int64_t>::max(), free = 0;
  for (const auto& [begin, end] : *taken) {
    const int64_t gap = begin - free;
    if (gap >= bytes && gap < smallest) {
      best = free;
      smallest = gap;
    }
    free = std::max(free, end);
  }
  return best < 0 ? free : best;
}

// The buffers take their turns in `order`, until the heap has `limit` bytes.
HeapPacking PackInOrder(const std::vector<HeapBuffer>& buffers, int64_t steps,
                        const std::vector<size_t>& order,
                        int64_t limit = std::numeric_limits<int64_t>::max()) {
  HeapPacking heap;
  heap.offsets.resize(buffers.size());
  StepTree tree(steps);
  std::vector<Piece> taken;
  for (const size_t k : order) {
    const HeapBuffer& buffer = buffers[k];
    taken.clear();
    for (const Span& span : buffer.spans) tree.Collect(span, &taken);
    const int64_t offset = BestFit(buffer.bytes, &taken);
    for (const Span& span : buffer.spans) {
      tree.Take(span, {offset, offset + Aligned(buffer.bytes)});
    }
    heap.offsets[k] = offset;
    heap.bytes = std::max(heap.bytes, offset + buffer.bytes);
    if (heap.bytes >= limit) break;
  }
  return heap;
}

// What every packing needs: all that lives in the step with most, the one on top not rounded up.
int64_t LeastBytes(const std::vector<HeapBuffer>& buffers, int64_t steps) {
  std::vector<int64_t> change(steps + 1);
  for (const HeapBuffer& buffer : buffers) {
    for (const Span& span : buffer.spans) {
      change[span.first] += Aligned(buffer.bytes);
      change[span.second + 1] -= Aligned(buffer.bytes);
    }
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  const auto most = absl::c_max_element(change);
  const int64_t step = most - change.begin();
  int64_t on_top = 0;
  for (const HeapBuffer& buffer : buffers) {
    const auto has_step = [step](const Span& span) {
      return span.first <= step && step <= span.second;
    };
    if (absl::c_any_of(buffer.spans, has_step)) {
      on_top = std::max(on_top, Aligned(buffer.bytes) - buffer.bytes);
    }
  }
  return *most - on_top;
}

// By keys that ascend; equals stay as they are.
template <typename Key>
std::vector<size_t> OrderBy(size_t count, const Key& key) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  absl::c_stable_sort(order, [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

HeapPacking PackHeap(const std::vector<HeapBuffer>& buffers) {
  int64_t steps = 1;
  for (const HeapBuffer& buffer : buffers) {
    steps = std::max(steps, buffer.spans.back().second + 1);
  }
  const auto by_size = OrderBy(buffers.size(), [&](size_t k) {
    return std::make_pair(-buffers[k].bytes, -buffers[k].first_lives);
  });
  const auto by_lifetime = OrderBy(buffers.size(), [&](size_t k) {
    return std::make_pair(-buffers[k].all_live, -buffers[k].bytes);
  });
  HeapPacking sized = PackInOrder(buffers, steps, by_size);
  if (sized.bytes == LeastBytes(buffers, steps)) return sized;
  HeapPacking timed = PackInOrder(buffers, steps, by_lifetime, sized.bytes);
  return timed.bytes < sized.bytes ? timed : sized;
}

}  // namespace tessera::target
