// Arrays of one home become a buffer.

#include "tessera/target/buffers/device_buffers.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/sizes.h"
#include "tessera/target/buffers/heap/cpu_heap.h"
#include "tessera/target/buffers/heap/xla_orders.h"
#include "tessera/target/buffers/live_values.h"
#include "tessera/target/buffers/memory_peaks.h"
#include "tessera/target/buffers/reused_operands.h"
#include "tessera/target/buffers/shared_leaves.h"
#include "tessera/target/buffers/shared_memory.h"
#include "tessera/target/buffers/spans.h"
#include "tessera/target/buffers/vmem_arrays.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/target/stage/compiled_for.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

class Collector {
 public:
  Collector(const hlo::Module& module, const LiveValues& values, bool has_tiles)
      : module_(module), values_(values) {
    found_.has_tiles = has_tiles;
  }

  absl::StatusOr<DeviceBuffers> Run() {
    if (!found_.has_tiles) orders_ = OrdersOf(module_);
    for (const LiveSpan& span : values_.spans) {
      TESSERA_ASSIGN_OR_RETURN(const size_t buffer, BufferOf(span.value));
      of_span_.push_back(buffer);
      spans_[buffer].emplace_back(span.first, span.last);
      const auto in_vmem = vmem_.find(values_.origin[span.value]);
      if (in_vmem == vmem_.end()) continue;
      // What a loop takes over counts once.
      vmem_spans_.push_back({in_vmem->second, values_.home[span.value], span.first,
                             span.last - span.is_taken_over, IsRead(span), IsOfSlices(span)});
    }
    for (Spans& spans : spans_) Merge(&spans);
    AddVmemSpans(std::move(vmem_spans_), &needs_.vmem);
    MarkKinds();
    ShareMemory();
    TESSERA_RETURN_IF_ERROR(AddAliased());
    TESSERA_RETURN_IF_ERROR(SumSpaces(values_.steps, needs_, &found_));
    if (IsForCpu()) TESSERA_RETURN_IF_ERROR(SetAsideHeap());
    return std::move(found_);
  }

 private:
  // The buffer of an array, which grows to hold it.
  absl::StatusOr<size_t> BufferOf(ValueId value) {
    const auto [it, is_new] = by_home_.try_emplace(values_.home[value], found_.buffers.size());
    if (is_new) {
      found_.buffers.emplace_back();
      spans_.emplace_back();
      arrays_.push_back(0);
      positions_.push_back(module_.num_instructions());
    }
    if (counted_.insert(value).second) AddArray(value, it->second);
    value = values_.origin[value];
    if (!measured_.insert(value).second) return it->second;
    const auto next = absl::c_upper_bound(values_.first, value);
    const auto id = static_cast<InstructionId>(next - values_.first.begin()) - 1;
    const size_t leaf = value - values_.first[id];
    const layout::Shape& shape = *Leaves(id)[leaf];
    if (module_.instruction(id).opcode == Opcode::kConstant)
      Raise(it->second, BufferKind::kConstant);
    if (!shape.is_array()) return it->second;
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
    if (SpaceOf(shape) == kVmem) TESSERA_RETURN_IF_ERROR(AddToVmem(value, it->second, sizes));
    LiveBuffer& buffer = found_.buffers[it->second];
    if (buffer.instruction != hlo::kNoId && sizes.alloc_bytes <= buffer.bytes) return it->second;
    buffer.instruction = id;
    buffer.leaf = leaf;
    buffer.caller = values_.callers[module_.instruction(id).computation];
    buffer.bytes = sizes.alloc_bytes;
    buffer.space = SpaceOf(shape);
    return it->second;
  }

  // By a later step, or by who takes the results of the computation.
  bool IsRead(const LiveSpan& span) const {
    return span.first < span.last || values_.steps[span.first] != values_.makers[span.value];
  }

  bool IsOfSlices(const LiveSpan& span) const {
    return IsConcatenatedInPlace(module_, values_.makers[span.value]);
  }

  void AddArray(ValueId value, size_t buffer) {
    ++arrays_[buffer];
    if (found_.has_tiles) return;
    positions_[buffer] = std::min(positions_[buffer], orders_.positions[values_.makers[value]]);
  }

  absl::Status AddToVmem(ValueId value, size_t buffer, const layout::MemorySizes& sizes) {
    vmem_.emplace(value, needs_.vmem.size());
    needs_.vmem.push_back({buffer, sizes.alloc_bytes});
    in_vmem_ += sizes.alloc_bytes;
    return in_vmem_.ok() ? absl::OkStatus() : TooLarge();
  }

  const absl::InlinedVector<const layout::Shape*, 2>& Leaves(InstructionId id) {
    const auto [it, is_new] = leaves_.try_emplace(module_.shape_id(id));
    if (is_new) it->second = layout::LeafShapes(module_.shape(id));
    return it->second;
  }

  int64_t SpaceOf(const layout::Shape& array) const {
    const int64_t space = array.has_layout() ? array.layout().memory_space : 0;
    return found_.has_tiles || space == kHost ? space : 0;
  }

  void Raise(size_t buffer, BufferKind kind) {
    found_.buffers[buffer].kind = std::max(found_.buffers[buffer].kind, kind);
  }

  void RaiseHome(ValueId value, BufferKind kind) {
    const auto it = by_home_.find(values_.home[value]);
    if (it != by_home_.end()) Raise(it->second, kind);
  }

  void MarkKinds() {
    for (const ValueId value : values_.results) RaiseHome(value, BufferKind::kResult);
    for (const LiveBuffer& buffer : found_.buffers) {
      is_result_.push_back(buffer.kind == BufferKind::kResult);
    }
    for (const InstructionId id : module_.entry().parameters) {
      for (ValueId v = values_.first[id]; v < values_.first[id + 1]; ++v) {
        RaiseHome(v, BufferKind::kArgument);
      }
    }
  }

  absl::Status AddAliased() {
    Checked sum = 0;
    layout::LeafNumbers numbers;
    const InstructionId root = module_.entry().root;
    for (const hlo::AliasEntry& alias : module_.header().input_output_alias) {
      const size_t leaf = numbers.Of(module_.shape(root), alias.output_index);
      if (leaf >= Leaves(root).size() || !Leaves(root)[leaf]->is_array()) continue;
      if (SpaceOf(*Leaves(root)[leaf]) != kMainMemory) continue;
      TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes,
                               layout::SizesOf(*Leaves(root)[leaf]));
      sum += sizes.alloc_bytes;
    }
    found_.aliased = sum.value();
    return sum.ok() ? absl::OkStatus() : TooLarge();
  }

  // On a CPU or GPU. What lies in another buffer has no spans of its own any more.
  void ShareMemory() {
    if (found_.has_tiles) return;
    std::vector<SharingBuffer> buffers;
    for (size_t k = 0; k < found_.buffers.size(); ++k) {
      buffers.push_back(
          {found_.buffers[k].bytes, SharingOf(k), arrays_[k], positions_[k], spans_[k]});
      // An argument is there before the first step that names it.
      Spans& spans = buffers.back().spans;
      if (found_.buffers[k].kind == BufferKind::kArgument && !spans.empty()) spans[0].first = 0;
    }
    place_ = FindSharedMemory(buffers, ReusesOfBuffers());
    for (size_t k = 0; k < place_.size(); ++k) {
      const size_t place = place_[k];
      if (place == k) continue;
      spans_[place].insert(spans_[place].end(), spans_[k].begin(), spans_[k].end());
      spans_[k].clear();
    }
    for (Spans& spans : spans_) Merge(&spans);
  }

  // A GPU states the queue of each kernel; a CPU states nothing.
  bool IsForCpu() const {
    if (found_.has_tiles) return false;
    return absl::c_none_of(values_.steps,
                           [this](InstructionId id) { return IsOnGpu(module_, id); });
  }

  absl::Status SetAsideHeap() {
    TESSERA_ASSIGN_OR_RETURN(
        found_.spaces[0].set_aside,
        BytesSetAside(module_, values_, {of_span_, place_, orders_.numbers, found_.buffers}));
    return absl::OkStatus();
  }

  Sharing SharingOf(size_t k) const {
    const LiveBuffer& buffer = found_.buffers[k];
    if (buffer.instruction == hlo::kNoId || buffer.space != kMainMemory) return Sharing::kNone;
    if (is_result_[k]) return Sharing::kRoom;
    return buffer.kind == BufferKind::kTemporary ? Sharing::kGuest : Sharing::kNone;
  }

  std::vector<BufferReuse> ReusesOfBuffers() const {
    std::vector<BufferReuse> reuses;
    for (const Reuse& reuse : values_.reuses) {
      const auto made = by_home_.find(values_.home[reuse.made]);
      const auto operand = by_home_.find(values_.home[reuse.operand]);
      if (made == by_home_.end() || operand == by_home_.end()) continue;
      if (made->second != operand->second) {
        reuses.push_back({made->second, operand->second, reuse.step, reuse.is_direct});
      }
    }
    return reuses;
  }

  const hlo::Module& module_;
  const LiveValues& values_;
  absl::flat_hash_map<ValueId, size_t> by_home_;
  absl::flat_hash_set<ValueId> counted_;   // arrays
  absl::flat_hash_set<ValueId> measured_;  // their origins
  absl::flat_hash_map<hlo::ShapeId, absl::InlinedVector<const layout::Shape*, 2>> leaves_;
  Needs needs_;
  std::vector<Spans>& spans_ = needs_.buffers;
  absl::flat_hash_map<ValueId, size_t> vmem_;  // in needs_.vmem
  Checked in_vmem_ = 0;                        // bytes of these
  std::vector<VmemSpan> vmem_spans_;
  std::vector<size_t> arrays_;     // by buffer, how many are made in it
  XlaOrders orders_;               // without tiles
  std::vector<size_t> positions_;  // by buffer, the least
  std::vector<bool> is_result_;    // by buffer, also of one that is an argument
  std::vector<size_t> of_span_;    // buffers
  std::vector<size_t> place_;      // by buffer: the one in whose memory it lies; without tiles
  DeviceBuffers found_;
};

}  // namespace

absl::StatusOr<DeviceBuffers> FindDeviceBuffers(const hlo::Module& module) {
  const bool has_tiles = CompiledFor(module) == Platform::kTpu;
  TESSERA_ASSIGN_OR_RETURN(const LiveValues values, FindLiveValues(module, !has_tiles));
  return Collector(module, values, has_tiles).Run();
}

}  // namespace tessera::target
