// Reshards the input of a windowed operation: a plan for each windowed dimension (window_plan.cc),
// then one halo exchange after the other. If nothing is sharded, padding and slicing suffice. If an
// exchange fails, the windowed dimensions are replicated first. Cached by value, window and target.
// XLA: PartitionedHlo::ReshardAsWindowedInput. Tested by partitioner_test.cc.

#include "tessera/sharding/partition/reshard/windows/window.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/partition/reshard/reshard.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/reshard/windows/window_plan.h"

namespace tessera::sharding::partition {
namespace {

// One window reshard.
class WindowReshard {
 public:
  WindowReshard(const PartitionedHlo& value, const hlo::Window& window, const Tiling& target,
                NodeId fill, WindowMask mask)
      : given_(value),
        value_(value),
        graph_(value.scope->graph()),
        window_(window),
        target_(target.AsV1()),
        fill_(fill),
        mask_(mask) {
    result_.window = window;
    if (value_.tiling == target_) value_.tiling = target_;
  }

  std::optional<Windowed> Run() {
    const auto known = value_.scope->InputOf(value_.node, target_, window_);
    if (known.has_value() && IsFilledAlike(known->input)) return known;
    if (!MakePlans()) return std::nullopt;
    const Tiling loose = WithoutWindowedCuts();
    const bool there = target_ == value_.tiling;
    if (value_.tiling.IsReplicated() || (!there && loose == value_.tiling)) {
      return Finish(SliceLocally());
    }
    if (!there) return ReshardForWindow(Reshard(value_, target_), window_, target_, fill_, mask_);
    if (TilesLeft() == 1) return Finish(value_.node);
    const std::optional<NodeId> node = Exchange();
    if (node.has_value()) return Finish(*node);
    if (loose == value_.tiling) return Finish(SliceLocally());
    return ReshardForWindow(Reshard(given_, loose), window_, target_, fill_, mask_);
  }

 private:
  // Whether `made` would be the same with this fill value.
  bool IsFilledAlike(NodeId made) const {
    std::vector<NodeId> open = {made};
    absl::flat_hash_set<NodeId> seen = {made, value_.node};
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      for (NodeId operand : graph_.operands(node)) {
        const bool is_fill = graph_.shape(operand).rank() == 0;
        if (is_fill && operand != fill_ && !(graph_.IsZero(operand) && graph_.IsZero(fill_))) {
          return false;
        }
        if (!is_fill && seen.insert(operand).second) open.push_back(operand);
      }
    }
    return true;
  }

  bool MakePlans() {
    const Shape& shard = graph_.shape(value_.node);
    for (int64_t i = 0; i < value_.base.rank(); ++i) {
      DimPlan plan;
      plan.shards = target_.dim(i);
      plan.shard_size = CeilDiv(value_.base.dim(i), plan.shards);
      plan.padded_size = plan.shards == 1 ? value_.base.dim(i) : plan.shard_size * plan.shards;
      plan.slice_limit = shard.dim(i);
      plan.base_size = value_.base.dim(i);
      if (plan.shards > 1 && !IsTrivial(At(window_, i))) {
        const std::optional<DimPlan> planned = PlanDim(
            At(window_, i), value_.base.dim(i), shard.dim(i), plan.shards, &At(result_.window, i));
        if (!planned.has_value()) return false;
        plan = *planned;
        if (plan.crash != DimPlan::Crash::kNone) return Refuse(i, plan.crash);
        if (!plan.exchanged) plan.shard_size = value_.base.dim(i);
      }
      result_.slice_output |= plan.slice_output;
      plans_.push_back(plan);
    }
    return true;
  }

  bool Refuse(int64_t dim, DimPlan::Crash crash) {
    const hlo::WindowDimension& window = At(window_, dim);
    const std::string why =
        crash == DimPlan::Crash::kNoElements
            ? "has no elements and fewer windows than shards; shard another dimension"
            : absl::StrCat("loses ", -window.padding_low,
                           " in front by negative padding, no multiple of its dilation of ",
                           window.base_dilation,
                           "; shard another dimension, or pad and slice apart");
    graph_.FailAsItCrashes(absl::StrCat("window: dimension ", dim, ", which is sharded, ", why));
    return false;
  }

  Tiling WithoutWindowedCuts() const {
    Dims dims;
    for (int64_t i = 0; i < value_.base.rank(); ++i) {
      if (!IsTrivial(At(window_, i))) dims.push_back(i);
    }
    return ReplicateOn(target_, dims);
  }

  int64_t TilesLeft() const {
    int64_t product = 1;
    for (const DimPlan& plan : plans_) product *= plan.shards;
    return product;
  }

  // Of what a device needs of the padded array.
  TableId StartOf(int64_t dim) const {
    const DimPlan& plan = At(plans_, dim);
    Recipes& recipes = graph_.recipes();
    const TableId ordinal = OrdinalOf(dim);
    // What the exchange leaves out is of no meaning here.
    return plan.exchanged ? OffsetAt(recipes, plan.first, ordinal)
                          : Times(recipes, ordinal, plan.shard_size);
  }

  // All windowed dimensions are unsharded: pad and slice.
  NodeId SliceLocally() {
    Shape padded = graph_.shape(value_.node);
    Shape cut = padded;
    uint64_t untouched = ~uint64_t{0};
    std::vector<hlo::PaddingDimension> padding(plans_.size());
    std::vector<TableId> starts(plans_.size(), Recipes::kZeros);
    for (int64_t i = 0; i < value_.base.rank(); ++i) {
      const DimPlan& plan = At(plans_, i);
      cut.set_dim(i, plan.shard_size);
      if (plan.shards > 1) At(starts, i) = StartOf(i);
      if (target_.dim(i) == 1 || (IsTrivial(At(window_, i)) && !value_.tiling.IsReplicated())) {
        continue;
      }
      padded.set_dim(i, plan.padded_size);
      if (i < 64) untouched &= ~(uint64_t{1} << i);
      const hlo::WindowDimension& w = At(window_, i);
      const int64_t low = plan.exchanged ? w.padding_low / w.base_dilation : 0;
      At(padding, i) = {low, plan.padded_size - low - value_.base.dim(i), 0};
    }
    NodeId node = value_.node;
    const bool is_moved =
        std::any_of(padding.begin(), padding.end(), [](const auto& p) { return p.low != 0; });
    if (is_moved || padded.dims() != value_.base.dims()) {
      node = graph_.Pad(padded, node, fill_, untouched, padding);
    }
    return graph_.DynamicSlice(cut, {node},
                               graph_.Keep([&] { return recipe::DynamicSlice{starts}; }));
  }

  // Of the shard of each device among those that take part.
  TableId OrdinalOf(int64_t dim) const {
    const Gap gap = At(plans_, dim).gap;
    const TableId all = OrdinalsAlong(*value_.scope, target_, dim);
    if (gap.first < 0) return all;
    return TableAlong(*value_.scope, target_, dim,
                      [&](int64_t i) { return i < gap.first ? i : i - gap.count; });
  }

  // The devices that take part.
  Tiling Trimmed() const {
    Dims dims;
    for (const DimPlan& plan : plans_) dims.push_back(plan.shards);
    for (int64_t i = target_.data_rank(); i < target_.num_dims(); ++i) {
      dims.push_back(target_.dim(i));
    }
    std::vector<int64_t> devices;
    Dims index(dims.size(), 0);
    for (int64_t n = Product(dims); n > 0; --n) {
      Dims at = index;
      for (int64_t i = 0; i < Size(plans_); ++i) {
        const Gap& gap = At(plans_, i).gap;
        if (gap.first >= 0 && At(index, i) >= gap.first) At(at, i) += gap.count;
      }
      devices.push_back(target_.grid().DeviceAt(at));
      for (int64_t i = Size(index); i-- > 0;) {
        if (++At(index, i) < At(dims, i)) break;
        At(index, i) = 0;
      }
    }
    return Tiling::Like(*TileAssignment::List(dims, std::move(devices)), target_);
  }

  // The shard without elements that no device needs; visible padding is masked.
  PartitionedHlo Prepared() {
    PartitionedHlo at = value_;
    Dims skipped;
    bool trimmed = false, inside = false;
    for (int64_t i = 0; i < Size(plans_); ++i) {
      trimmed |= At(plans_, i).trimmed;
      inside |= At(plans_, i).trimmed_inside;
      if (!At(plans_, i).premask) skipped.push_back(i);
    }
    if (Size(skipped) != Size(plans_)) at = Masked(at, fill_, skipped);
    if (trimmed) at.tiling = Trimmed();
    Shape part = graph_.shape(at.node);
    std::vector<hlo::SliceDimension> slice;
    for (int64_t i = 0; i < Size(plans_); ++i) {
      const DimPlan& plan = At(plans_, i);
      slice.push_back({plan.slice_start, plan.slice_limit, 1});
      part.set_dim(i, plan.slice_limit - plan.slice_start);
      at.base.set_dim(i, plan.base_size);
    }
    if (inside) at.node = graph_.Slice(part, at.node, slice);
    return at;
  }

  std::optional<NodeId> Exchange() {
    PartitionedHlo at = Prepared();
    for (int64_t i = 0; i < Size(plans_); ++i) {
      const DimPlan& plan = At(plans_, i);
      if (plan.shards == 1 || !plan.exchanged) continue;
      const int64_t size = CeilDiv(plan.base_size, plan.shards);
      Halo halo;
      halo.dim = i;
      halo.left = PerShard(
          plan.shards, [&](int64_t k) { return size * k + plan.left_padding - plan.first.At(k); });
      halo.right = PerShard(plan.shards, [&](int64_t k) {
        return plan.limit.At(k) - (size * (k + 1) + plan.left_padding);
      });
      HaloRegion region;
      region.left_padding = plan.left_padding;
      region.padded_size = plan.padded_size;
      region.shard_size = plan.shard_size;
      region.ordinal = OrdinalOf(i);
      region.first_offset = plan.first.Simplified();
      region.first = OffsetAt(graph_.recipes(), plan.first, region.ordinal);
      region.mask = mask_.mask;
      region.mask_pieces = mask_.mask_pieces;
      const std::optional<NodeId> node = ExchangeRegion(at, halo, region, fill_);
      if (!node.has_value()) return std::nullopt;
      at.node = *node;
    }
    return at.node;
  }

  // Where the windows of a device begin in those of its dilated shard.
  TableId OutputStart(int64_t dim) const {
    const DimPlan& plan = At(plans_, dim);
    if (!plan.slice_output) return Recipes::kZeros;
    Recipes& recipes = graph_.recipes();
    const TableId ordinal = OrdinalOf(dim), first = OffsetAt(recipes, plan.first, ordinal);
    return Computed(recipes, Opcode::kSubtract, OffsetAt(recipes, {plan.per_shard}, ordinal),
                    OffsetAt(recipes, plan.first_in_output, first));
  }

  Windowed Finish(NodeId node) {
    result_.input = node;
    if (result_.slice_output && graph_.recipes().are_kept()) {
      for (int64_t i = 0; i < Size(plans_); ++i) result_.output_starts.push_back(OutputStart(i));
    }
    value_.scope->RememberWindow(value_.node, target_, window_, result_);
    return result_;
  }

  const PartitionedHlo given_;
  PartitionedHlo value_;  // the same, in tile form if it lies as the target
  Graph& graph_;
  const hlo::Window& window_;
  const Tiling target_;  // in tile form, whatever the form of the value
  const NodeId fill_;
  const WindowMask mask_;
  std::vector<DimPlan> plans_;
  Windowed result_;
};

}  // namespace

NodeId SliceOutput(Graph& graph, const Shape& shape, NodeId node, const Windowed& windowed) {
  return graph.DynamicSlice(
      shape, {node}, graph.Keep([&] { return recipe::DynamicSlice{windowed.output_starts}; }));
}

std::optional<Windowed> ReshardForWindow(const PartitionedHlo& value, const hlo::Window& window,
                                         const Tiling& target, NodeId fill, WindowMask mask) {
  return WindowReshard(value, window, target, fill, mask).Run();
}

}  // namespace tessera::sharding::partition
