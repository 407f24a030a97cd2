#include "tessera/target/buffers/heap/cpu_heap.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/opcode.h"
#include "tessera/target/buffers/heap/heap_arrays.h"
#include "tessera/target/buffers/heap/heap_packing.h"
#include "tessera/target/buffers/memory_peaks.h"
#include "tessera/target/buffers/tuple_tables.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

class CpuHeap {
 public:
  CpuHeap(const hlo::Module& module, const LiveValues& values, const PlacedBuffers& placed)
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
    if (values_.origin[value] != value) return {placed_.numbers.size(), value};
    const auto next = absl::c_upper_bound(values_.first, value);
    return {placed_.numbers[next - values_.first.begin() - 1], value};
  }

  bool IsInHeap(size_t buffer) const {
    const LiveBuffer& place = placed_.buffers[placed_.place[buffer]];
    return place.kind == BufferKind::kTemporary && place.space == kMainMemory && place.bytes > 0;
  }

  int64_t WithTables(int64_t heap, const std::vector<int64_t>& tables) const {
    if (tables.empty()) return heap;
    int64_t sum = Aligned(heap);
    for (const int64_t table : tables) sum += Aligned(table);
    // XLA brings temporaries to the end of its list of all that it assigns; the first one, the largest
    // table, goes after all others. But the heap stays last where nothing stands after it.
    const int64_t last = heap == 0 || HasReduction() ? tables[0] : heap;
    return sum - (Aligned(last) - last);
  }

  // What the computation of a reduction or comparison works with stands after the heap. Such a
  // computation neither runs as steps nor is that of a fusion.
  bool HasReduction() const {
    std::vector<bool> is_known(module_.num_computations());
    is_known[module_.entry_id()] = true;
    for (hlo::InstructionId id = 0; id < module_.num_instructions(); ++id) {
      if (module_.instruction(id).opcode != hlo::Opcode::kFusion) continue;
      for (const hlo::ComputationId c : module_.called(id)) is_known[c] = true;
    }
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (!is_known[c] && values_.callers[c] == hlo::kNoId) return true;
    }
    return false;
  }

  const hlo::Module& module_;
  const LiveValues& values_;
  const PlacedBuffers& placed_;
};

}  // namespace

absl::StatusOr<int64_t> BytesSetAside(const hlo::Module& module, const LiveValues& values,
                                      const PlacedBuffers& placed) {
  return CpuHeap(module, values, placed).Bytes();
}

}  // namespace tessera::target
