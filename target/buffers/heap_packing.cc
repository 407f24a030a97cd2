// A tree over the steps, each node of which knows what is taken in its steps. A buffer asks the few
// nodes that make up its spans, and those above them. Pieces that touch are one, so that a dense heap
// has few of them, however many buffers lie in it.

#include "tessera/target/buffers/heap_packing.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"

namespace tessera::target {
namespace {

using Span = Spans::value_type;
using Piece = std::pair<int64_t, int64_t>;  // of the heap: begin and end, both aligned

// In order; none touches another one.
class Pieces {
 public:
  const absl::InlinedVector<Piece, 2>& all() const { return pieces_; }

  void Add(Piece piece) {
    auto* from = pieces_.begin();
    if (pieces_.size() > 4) {
      from = absl::c_lower_bound(
          pieces_, piece.first, [](const Piece& one, int64_t begin) { return one.second < begin; });
    } else {
      while (from != pieces_.end() && from->second < piece.first) ++from;
    }
    auto* to = from;
    for (; to != pieces_.end() && to->first <= piece.second; ++to) {
      piece = {std::min(piece.first, to->first), std::max(piece.second, to->second)};
    }
    if (from == to) {
      pieces_.insert(from, piece);
    } else {
      *from = piece;
      if (from + 1 != to) pieces_.erase(from + 1, to);
    }
  }

 private:
  absl::InlinedVector<Piece, 2> pieces_;
};

class StepTree {
 public:
  explicit StepTree(int64_t steps) {
    while (width_ < steps) width_ *= kChildren;
    size_t nodes = 1;
    for (int64_t w = width_; w > 1; w /= kChildren) nodes = nodes * kChildren + 1;
    taken_.resize(nodes);
    pending_.resize(nodes);
    has_pending_.resize(nodes);
  }

  void Take(const Span& span, const Piece& piece) { Take(0, 0, width_, span, piece); }
  void Collect(const Span& span, std::vector<Piece>* taken) { Collect(0, 0, width_, span, taken); }

 private:
  static constexpr int64_t kChildren = 4;

  static bool Covers(const Span& span, int64_t first, int64_t width) {
    return span.first <= first && first + width <= span.second + 1;
  }

  template <typename F>
  static void ForChildren(size_t k, int64_t first, int64_t width, const Span& span, const F& f) {
    const int64_t w = width / kChildren;
    const int64_t from = std::max<int64_t>(0, (span.first - first) / w);
    const int64_t to = std::min<int64_t>(kChildren - 1, (span.second - first) / w);
    for (int64_t c = from; c <= to; ++c) f(kChildren * k + 1 + c, first + c * w, w);
  }

  void Take(size_t k, int64_t first, int64_t width, const Span& span, const Piece& piece) {
    taken_[k].Add(piece);
    if (Covers(span, first, width)) {
      if (width > 1) HoldBack(k, piece);
      return;
    }
    HandDown(k);
    ForChildren(k, first, width, span,
                [&](size_t child, int64_t f, int64_t w) { Take(child, f, w, span, piece); });
  }

  void HoldBack(size_t k, const Piece& piece) {
    pending_[k].Add(piece);
    has_pending_[k] = 1;
  }

  void HandDown(size_t k) {
    if (has_pending_[k] == 0) return;
    for (size_t child = kChildren * k + 1; child <= kChildren * k + kChildren; ++child) {
      for (const Piece& piece : pending_[k].all()) {
        taken_[child].Add(piece);
        if (kChildren * child + 1 < taken_.size()) HoldBack(child, piece);
      }
    }
    pending_[k] = {};
    has_pending_[k] = 0;
  }

  void Collect(size_t k, int64_t first, int64_t width, const Span& span,
               std::vector<Piece>* taken) {
    if (Covers(span, first, width)) {
      taken->insert(taken->end(), taken_[k].all().begin(), taken_[k].all().end());
      return;
    }
    HandDown(k);
    ForChildren(k, first, width, span,
                [&](size_t child, int64_t f, int64_t w) { Collect(child, f, w, span, taken); });
  }

  int64_t width_ = 1;            // step
  std::vector<Pieces> taken_;    // in any step of a node; of its children what it holds back, too
  std::vector<Pieces> pending_;  // taken in all steps of a node, which its children do not know
  std::vector<char> has_pending_;
};

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

// The buffers take their turns in `order`.
HeapPacking PackInOrder(const std::vector<HeapBuffer>& buffers, int64_t steps,
                        const std::vector<size_t>& order) {
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
  HeapPacking timed = PackInOrder(buffers, steps, by_lifetime);
  return timed.bytes < sized.bytes ? timed : sized;
}

}  // namespace tessera::target
