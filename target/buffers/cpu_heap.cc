#include "tessera/target/buffers/cpu_heap.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/buffers/heap_arrays.h"
#include "tessera/target/buffers/heap_packing.h"
#include "tessera/target/buffers/memory_peaks.h"
#include "tessera/target/buffers/tuple_tables.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

class Heap {
 public:
  Heap(const hlo::Module& module, const LiveValues& values, const PlacedBuffers& placed)
      : module_(module), values_(values), placed_(placed) {}

  absl::StatusOr<int64_t> Bytes() const {
    Checked all = 0;
    std::vector<int64_t> bytes;
    for (const LiveBuffer& buffer : placed_.buffers) {
      all += Checked(buffer.bytes) + kHeapAlignment;
      bytes.push_back(buffer.bytes);
    }
    if (!all.ok()) return TooLarge();
    const int64_t heap = PackArrays(ArraysByNumber(), bytes).bytes;
    if (getenv("DBG")) { auto t=TablesOf(module_, values_); fprintf(stderr,"heap %ld tables %zu:",heap,t.size()); for(auto x:t)fprintf(stderr," %ld",x); fprintf(stderr,"\n"); }
    return WithTables(heap, TablesOf(module_, values_));
  }

 private:
  // As XLA numbers values: those of instructions first.
  std::vector<HeapArray> ArraysByNumber() const {
    std::vector<std::pair<std::pair<size_t, ValueId>, size_t>> spans;  // number, index
    for (size_t k = 0; k < values_.spans.size(); ++k) {
      if (IsInHeap(placed_.of_span[k])) spans.push_back({NumberOf(values_.spans[k].value), k});
    }
    absl::c_sort(spans);
    std::vector<HeapArray> arrays;
    for (const auto& [number, k] : spans) {
      const size_t buffer = placed_.of_span[k];
      const LiveSpan& span = values_.spans[k];
      arrays.push_back({buffer, placed_.place[buffer], span.first, span.last});
    }
    return arrays;
  }

  std::pair<size_t, ValueId> NumberOf(ValueId value) const {
    if (values_.origin[value] != value) return {placed_.positions.size(), value};
    const auto next = absl::c_upper_bound(values_.first, value);
    return {placed_.positions[next - values_.first.begin() - 1], value};
  }

  bool IsInHeap(size_t buffer) const {
    const LiveBuffer& place = placed_.buffers[placed_.place[buffer]];
    return place.kind == BufferKind::kTemporary && place.space == kMainMemory && place.bytes > 0;
  }

  // The largest table lies last, if anything but a temporary is smaller; else the heap does.
  int64_t WithTables(int64_t heap, const std::vector<int64_t>& tables) const {
    if (tables.empty()) return heap;
    int64_t sum = Aligned(heap);
    for (const int64_t table : tables) sum += Aligned(table);
    const bool is_smaller = absl::c_any_of(placed_.buffers, [&](const LiveBuffer& buffer) {
      return buffer.kind != BufferKind::kTemporary && buffer.bytes < tables[0];
    });
    const int64_t last = is_smaller ? tables[0] : heap;
    return sum - (Aligned(last) - last);
  }

  const hlo::Module& module_;
  const LiveValues& values_;
  const PlacedBuffers& placed_;
};

}  // namespace

absl::StatusOr<int64_t> BytesSetAside(const hlo::Module& module, const LiveValues& values,
                                      const PlacedBuffers& placed) {
  return Heap(module, values, placed).Bytes();
}

}  // namespace tessera::target
