// Arrays of one home become a buffer; a sweep over the steps finds where temporaries are most.

#include "tessera/target/buffers/device_buffers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
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
#include "tessera/target/buffers/live_values.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Steps of a buffer, in order and apart from each other.
using Spans = std::vector<std::pair<int64_t, int64_t>>;

absl::Status TooLarge() { return absl::OutOfRangeError("the bytes of a device exceed 64 bits"); }

bool HasTiles(const hlo::Module& module) {
  for (hlo::ShapeId id = 0; id < module.num_shapes(); ++id) {
    const auto leaves = layout::LeafShapes(module.interned_shape(id));
    if (absl::c_any_of(leaves, [](const layout::Shape* leaf) {
          return leaf->is_array() && leaf->has_layout() && !leaf->layout().tiles.empty();
        })) {
      return true;
    }
  }
  return false;
}

class Collector {
 public:
  Collector(const hlo::Module& module, const LiveValues& values, bool has_tiles)
      : module_(module), values_(values) {
    found_.has_tiles = has_tiles;
  }

  absl::StatusOr<DeviceBuffers> Run() {
    for (const LiveSpan& span : values_.spans) {
      TESSERA_ASSIGN_OR_RETURN(const size_t buffer, BufferOf(span.value));
      spans_[buffer].emplace_back(span.first, span.last);
    }
    MarkKinds();
    TESSERA_RETURN_IF_ERROR(AddAliased());
    TESSERA_RETURN_IF_ERROR(SumSpaces());
    return std::move(found_);
  }

 private:
  // The buffer of an array, which grows to hold it.
  absl::StatusOr<size_t> BufferOf(ValueId value) {
    const auto [it, is_new] = by_home_.try_emplace(values_.home[value], found_.buffers.size());
    if (is_new) {
      found_.buffers.emplace_back();
      spans_.emplace_back();
    }
    if (!seen_.try_emplace(value, true).second) return it->second;
    const auto next = absl::c_upper_bound(values_.first, value);
    const auto id = static_cast<InstructionId>(next - values_.first.begin()) - 1;
    const size_t leaf = value - values_.first[id];
    const layout::Shape& shape = *Leaves(id)[leaf];
    if (module_.instruction(id).opcode == Opcode::kConstant)
      Raise(it->second, BufferKind::kConstant);
    if (!shape.is_array()) return it->second;
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
    LiveBuffer& buffer = found_.buffers[it->second];
    if (buffer.instruction != hlo::kNoId && sizes.alloc_bytes <= buffer.bytes) return it->second;
    buffer.instruction = id;
    buffer.leaf = leaf;
    buffer.caller = values_.callers[module_.instruction(id).computation];
    buffer.bytes = sizes.alloc_bytes;
    buffer.space = SpaceOf(shape);
    return it->second;
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

  absl::Status SumSpaces() {
    std::map<int64_t, std::vector<size_t>> by_space = {{0, {}}};
    for (size_t k = 0; k < found_.buffers.size(); ++k) {
      if (found_.buffers[k].instruction != hlo::kNoId) {
        by_space[found_.buffers[k].space].push_back(k);
      }
    }
    for (const auto& [space, buffers] : by_space) {
      TESSERA_RETURN_IF_ERROR(SumSpace(space, buffers));
    }
    return absl::OkStatus();
  }

  absl::Status SumSpace(int64_t number, const std::vector<size_t>& buffers) {
    Checked sums[4] = {0, 0, 0, 0};
    std::vector<size_t> temporaries;
    const absl::flat_hash_set<size_t> in_results = LiesInResults(buffers);
    for (const size_t k : buffers) {
      sums[static_cast<size_t>(found_.buffers[k].kind)] += found_.buffers[k].bytes;
      const bool is_temporary = found_.buffers[k].kind == BufferKind::kTemporary;
      if (is_temporary && !in_results.contains(k)) temporaries.push_back(k);
    }
    for (const Checked& sum : sums) {
      if (!sum.ok()) return TooLarge();
    }
    const auto sum = [&](BufferKind kind) { return sums[static_cast<size_t>(kind)].value(); };
    MemorySpace space;
    space.space = number;
    space.arguments = sum(BufferKind::kArgument);
    space.results = sum(BufferKind::kResult);
    space.constants = sum(BufferKind::kConstant);
    FindPeak(temporaries, &space);
    found_.spaces.push_back(std::move(space));
    return absl::OkStatus();
  }

  // The memory of a result, and when it is taken.
  struct Room {
    int64_t result_first = 0;            // step
    std::map<int64_t, int64_t> taken{};  // first to last step of the temporaries in it

    // Whether nothing else is there in these steps.
    bool IsFree(const Spans& spans) const {
      return absl::c_all_of(spans, [this](const auto& span) {
        const auto next = taken.upper_bound(span.second);
        const bool is_behind = next == taken.begin() || std::prev(next)->second < span.first;
        return span.second < result_first && is_behind;
      });
    }
  };

  // The temporaries of a CPU or GPU that lie where a result will be, before it is made. XLA gives
  // buffers their place by size: the largest first, results before others, each temporary into the
  // newest room that is free. A TPU does not.
  absl::flat_hash_set<size_t> LiesInResults(const std::vector<size_t>& buffers) {
    absl::flat_hash_set<size_t> inside;
    std::vector<Room> rooms;
    for (const size_t k : BySize(buffers)) {
      const Spans& spans = Merged(k);
      if (spans.empty()) continue;
      if (found_.buffers[k].kind == BufferKind::kResult) {
        rooms.push_back({spans.front().first});
        continue;
      }
      const auto room = std::find_if(rooms.rbegin(), rooms.rend(),
                                     [&](const Room& one) { return one.IsFree(spans); });
      if (room == rooms.rend()) continue;
      room->taken.insert(spans.begin(), spans.end());
      inside.insert(k);
    }
    return inside;
  }

  // Results and temporaries; none on a TPU, nor without results.
  std::vector<size_t> BySize(const std::vector<size_t>& buffers) const {
    std::vector<size_t> order;
    if (found_.has_tiles) return order;
    bool has_result = false;
    for (const size_t k : buffers) {
      const BufferKind kind = found_.buffers[k].kind;
      has_result |= kind == BufferKind::kResult;
      if (kind == BufferKind::kResult || kind == BufferKind::kTemporary) order.push_back(k);
    }
    if (!has_result) order.clear();
    absl::c_stable_sort(order, [this](size_t a, size_t b) {
      const LiveBuffer &x = found_.buffers[a], &y = found_.buffers[b];
      return std::make_tuple(-x.bytes, x.kind != BufferKind::kResult) <
             std::make_tuple(-y.bytes, y.kind != BufferKind::kResult);
    });
    return order;
  }

  // All of them together fit in 64 bits.
  void FindPeak(const std::vector<size_t>& temporaries, MemorySpace* space) {
    std::map<int64_t, int64_t> changes;
    for (const size_t k : temporaries) {
      for (const auto& [first, last] : Merged(k)) {
        changes[first] += found_.buffers[k].bytes;
        changes[last + 1] -= found_.buffers[k].bytes;
      }
    }
    int64_t alive = 0, at = -1;
    for (const auto& [step, change] : changes) {
      alive += change;
      if (alive > space->peak) {
        space->peak = alive;
        at = step;
      }
    }
    if (at < 0) return;
    space->peak_at = values_.steps[std::min<size_t>(at, values_.steps.size() - 1)];
    for (const size_t k : temporaries) {
      if (absl::c_any_of(spans_[k],
                         [at](const auto& s) { return s.first <= at && at <= s.second; }))
        space->at_peak.push_back(k);
    }
    absl::c_stable_sort(space->at_peak, [&](size_t a, size_t b) {
      return found_.buffers[a].bytes > found_.buffers[b].bytes;
    });
  }

  const Spans& Merged(size_t buffer) {
    Spans& spans = spans_[buffer];
    absl::c_sort(spans);
    size_t kept = 0;
    for (size_t k = 1; k < spans.size(); ++k) {
      if (spans[k].first <= spans[kept].second) {
        spans[kept].second = std::max(spans[kept].second, spans[k].second);
      } else {
        spans[++kept] = spans[k];
      }
    }
    if (!spans.empty()) spans.resize(kept + 1);
    return spans;
  }

  const hlo::Module& module_;
  const LiveValues& values_;
  absl::flat_hash_map<ValueId, size_t> by_home_;
  absl::flat_hash_map<ValueId, bool> seen_;
  absl::flat_hash_map<hlo::ShapeId, absl::InlinedVector<const layout::Shape*, 2>> leaves_;
  std::vector<Spans> spans_;  // by buffer
  DeviceBuffers found_;
};

}  // namespace

absl::StatusOr<DeviceBuffers> FindDeviceBuffers(const hlo::Module& module) {
  const bool has_tiles = HasTiles(module);
  TESSERA_ASSIGN_OR_RETURN(const LiveValues values, FindLiveValues(module, !has_tiles));
  return Collector(module, values, has_tiles).Run();
}

}  // namespace tessera::target
