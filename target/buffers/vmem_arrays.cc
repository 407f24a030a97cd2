#include "tessera/target/buffers/vmem_arrays.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"

namespace tessera::target {
namespace {

bool IsBefore(const VmemSpan& a, const VmemSpan& b) {
  return std::tie(a.home, a.first) < std::tie(b.home, b.first);
}

}  // namespace

void AddVmemSpans(std::vector<VmemSpan> spans, std::vector<VmemArray>* arrays) {
  absl::flat_hash_set<ValueId> side_by_side;
  for (const VmemSpan& span : spans) {
    if (span.is_of_slices) side_by_side.insert(span.home);
  }
  absl::c_stable_sort(spans, IsBefore);
  for (auto span = spans.begin(); span != spans.end(); ++span) {
    if (!span->is_read) continue;
    int64_t last = span->last;
    const auto next = std::upper_bound(span, spans.end(), *span, IsBefore);
    const bool is_replaced = next != spans.end() && next->home == span->home;
    if (is_replaced && !side_by_side.contains(span->home)) last = std::min(last, next->first);
    (*arrays)[span->array].spans.emplace_back(span->first, last);
  }
  for (VmemArray& array : *arrays) Merge(&array.spans);
}

}  // namespace tessera::target
