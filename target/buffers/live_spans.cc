#include "tessera/target/buffers/live_spans.h"

#include <cstddef>
#include <tuple>

#include "absl/algorithm/container.h"

namespace tessera::target {

void MergeSpans(std::vector<LiveSpan>* merged) {
  std::vector<LiveSpan>& spans = *merged;
  absl::c_sort(spans, [](const LiveSpan& a, const LiveSpan& b) {
    return std::make_tuple(a.value, a.first, a.last) < std::make_tuple(b.value, b.first, b.last);
  });
  size_t kept = 0;
  for (size_t k = 1; k < spans.size(); ++k) {
    LiveSpan& before = spans[kept];
    if (spans[k].value != before.value || spans[k].first > before.last) {
      spans[++kept] = spans[k];
    } else if (spans[k].last >= before.last) {
      before.last = spans[k].last;
      before.is_taken_over = spans[k].is_taken_over;
    }
  }
  if (!spans.empty()) spans.resize(kept + 1);
  absl::c_sort(spans, [](const LiveSpan& a, const LiveSpan& b) {
    return std::make_tuple(a.first, a.value, a.last) < std::make_tuple(b.first, b.value, b.last);
  });
}

}  // namespace tessera::target
