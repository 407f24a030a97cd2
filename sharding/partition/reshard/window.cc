// Windows over shards.
//
// W windows over n shards: shard i computes windows [w i, w (i+1)) with w = ceil(W / n), so it needs
// the elements from the first one of window w i to the last one of window w (i+1) - 1. What it has
// is its shard, moved by the padding on the left; the difference is the halo. Shards without useful
// data at the right end or in the middle are left out of the exchange. Tested by partitioner_test.cc.

#include "tessera/sharding/partition/reshard/window.h"

#include <algorithm>
#include <utility>

#include "tessera/sharding/partition/reshard/halo.h"
#include "tessera/sharding/partition/reshard/reshard.h"

namespace tessera::sharding::partition {
namespace {

bool IsTrivial(const hlo::WindowDimension& d) {
  return d.size == 1 && d.stride == 1 && d.padding_low == 0 && d.padding_high == 0 &&
         d.window_dilation == 1 && d.base_dilation == 1;
}

bool SameWindow(const hlo::Window& a, const hlo::Window& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.size == y.size && x.stride == y.stride && x.padding_low == y.padding_low &&
           x.padding_high == y.padding_high && x.base_dilation == y.base_dilation &&
           x.window_dilation == y.window_dilation && x.reversal == y.reversal;
  });
}

// Shards [first, first + count) that take no part.
struct Gap {
  int64_t first = -1, count = 0;
};

// The plan for one dimension.
struct DimPlan {
  bool exchanged = false;
  int64_t shards = 1;  // that take part
  Gap gap;
  Offset first, limit;  // elements of the padded array that shard i needs
  int64_t left_padding = 0;
  int64_t input_size = 0;                    // of a shard
  int64_t base_size = 0;                     // of the array as exchanged
  int64_t slice_start = 0, slice_limit = 0;  // of the shard, before the exchange
  int64_t shard_size = 0, padded_size = 0;   // afterwards
  bool trimmed = false, trimmed_inside = false, premask = false;
  bool slice_output = false;
};

struct Geometry {
  int64_t dilated_window = 1, padded = 1, windows = 1, per_shard = 1;
};

Geometry MakeGeometry(const hlo::WindowDimension& d, int64_t base, int64_t shards) {
  Geometry g;
  g.dilated_window = 1 + (d.size - 1) * d.window_dilation;
  g.padded = 1 + (base - 1) * d.base_dilation + d.padding_high + d.padding_low;
  g.windows = WindowCount(d, base);
  g.per_shard = CeilDiv(g.windows, shards);
  return g;
}

class DimPlanner {
 public:
  DimPlanner(const hlo::WindowDimension& window, int64_t base, int64_t shard, int64_t shards,
             hlo::WindowDimension* left)
      : w_(window), base_(base), geometry_(MakeGeometry(window, base, shards)), left_(left) {
    plan_.shards = shards;
    plan_.input_size = shard;
    plan_.base_size = base;
    plan_.slice_limit = shard;
    plan_.padded_size = base;
  }

  // Nothing: the partitioner does not know how.
  std::optional<DimPlan> Run() {
    const bool dilated = w_.window_dilation != 1 || w_.base_dilation != 1;
    const bool few = geometry_.windows < plan_.shards && !dilated;
    const int64_t all_shards = plan_.shards;
    if (few && !TrimRight()) return plan_;
    plan_.left_padding = w_.padding_low / w_.base_dilation;
    left_->padding_low = w_.padding_low % w_.base_dilation;
    left_->padding_high = 0;
    if (geometry_.windows < plan_.shards && !dilated) TrimMiddle();
    if (geometry_.padded < geometry_.dilated_window) return std::nullopt;
    const int64_t step = w_.stride * geometry_.per_shard;
    if (w_.stride != 1 && step % w_.base_dilation != 0) return std::nullopt;
    const int64_t extent = w_.stride * (geometry_.per_shard - 1) + geometry_.dilated_window;
    const int64_t skip = w_.base_dilation - 1 - left_->padding_low;
    plan_.first = {step, skip, w_.base_dilation};
    plan_.limit = {step, extent + skip, w_.base_dilation};
    for (int64_t i = 0; i < plan_.shards; ++i) {
      const int64_t size = plan_.limit.At(i) - plan_.first.At(i);
      plan_.shard_size = i == 0 ? size : std::max(plan_.shard_size, size);
    }
    plan_.padded_size = plan_.limit.At(plan_.shards - 1);
    plan_.exchanged = true;
    if (w_.base_dilation != 1 && !Dilate(extent, all_shards)) return std::nullopt;
    return plan_;
  }

 private:
  // Shards on the right without any useful input. False: only one is left, nothing to exchange.
  bool TrimRight() {
    const int64_t useful = CeilDiv(base_ + w_.padding_high, plan_.input_size);
    if (useful >= plan_.shards) return true;
    plan_.shards = std::max(useful, geometry_.windows);
    plan_.trimmed = true;
    if (plan_.shards == 1) {
      left_->padding_high = base_ + w_.padding_high - plan_.input_size;
      return false;
    }
    plan_.base_size = plan_.input_size * plan_.shards;
    if (plan_.base_size > base_ && w_.padding_high > 0) {
      plan_.premask = true;
    } else if (w_.padding_high < 0 && geometry_.padded - w_.padding_low < plan_.input_size) {
      plan_.input_size = geometry_.padded - w_.padding_low;
      plan_.base_size = plan_.input_size * plan_.shards;
      plan_.slice_limit = plan_.input_size;
      plan_.trimmed_inside = true;
    }
    return true;
  }

  // Shards between those that compute windows and those that have data for them.
  void TrimMiddle() {
    const int64_t empty = -plan_.left_padding / plan_.input_size - geometry_.windows;
    if (empty <= 0) return;
    plan_.shards -= empty;
    plan_.gap = {geometry_.windows, empty};
    plan_.trimmed = true;
    plan_.left_padding += empty * plan_.input_size;
    plan_.base_size = plan_.input_size * plan_.shards;
    const int64_t before = plan_.input_size * (plan_.shards - 1);
    if (-plan_.left_padding <= before) return;
    int64_t skipped = -plan_.left_padding - before;
    plan_.input_size -= skipped;
    plan_.left_padding += skipped * plan_.shards;
    plan_.slice_start = skipped;
    plan_.trimmed_inside = true;
    if (geometry_.padded < plan_.input_size) {
      skipped = plan_.input_size - geometry_.padded;
      plan_.slice_limit -= skipped;
      plan_.left_padding += skipped * (plan_.shards - 1);
      plan_.input_size = geometry_.padded;
    }
    plan_.base_size = plan_.input_size * plan_.shards;
  }

  // The first useful element of shard i in its dilated shard.
  int64_t FirstInDilated(int64_t i) const {
    return plan_.first.At(i) * w_.base_dilation + left_->padding_low -
           w_.stride * geometry_.per_shard * i;
  }

  bool Dilate(int64_t extent, int64_t) {
    for (int64_t i = 0; i < plan_.shards; ++i) {
      const int64_t limit = FirstInDilated(i) + (plan_.shard_size - 1) * w_.base_dilation + 1;
      left_->padding_high = std::max(left_->padding_high, extent - limit);
    }
    if (w_.stride != 1) return w_.stride * geometry_.per_shard % w_.base_dilation == 0;
    int64_t most = FirstInDilated(0);
    for (int64_t i = 1; i < plan_.shards; ++i) {
      const int64_t start = FirstInDilated(i);
      plan_.slice_output |= start != left_->padding_low;
      most = std::max(most, start);
    }
    left_->padding_low = most;
    return true;
  }

  const hlo::WindowDimension& w_;
  const int64_t base_;
  const Geometry geometry_;
  hlo::WindowDimension* left_;
  DimPlan plan_;
};

// The whole of one reshard.
class WindowReshard {
 public:
  WindowReshard(const Value& value, const hlo::Window& window, const Tiling& target, NodeId fill,
                WindowMask mask)
      : value_(value),
        graph_(value.scope->graph()),
        window_(window),
        target_(target.InTiles()),
        fill_(fill),
        mask_(mask) {
    result_.window = window;
  }

  std::optional<Windowed> Run() {
    for (const auto& entry : value_.scope->memory(value_.node).windows) {
      if (entry.target == target_ && SameWindow(entry.window, window_)) return entry.result;
    }
    if (!MakePlans()) return std::nullopt;
    const Tiling loose = WithoutWindowedCuts();
    const bool there = target_ == value_.tiling;
    if (value_.tiling.IsReplicated() || (!there && loose == value_.tiling)) {
      return Finish(SliceLocally());
    }
    if (!there) return ReshardForWindow(Reshard(value_, target_), window_, target_, fill_);
    if (TilesLeft() == 1) return Finish(value_.node);
    const std::optional<NodeId> node = Exchange();
    if (node.has_value()) return Finish(*node);
    if (loose == value_.tiling) return Finish(SliceLocally());
    return ReshardForWindow(Reshard(value_, loose), window_, target_, fill_);
  }

 private:
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
        const std::optional<DimPlan> planned =
            DimPlanner(At(window_, i), value_.base.dim(i), shard.dim(i), plan.shards,
                       &At(result_.window, i))
                .Run();
        if (!planned.has_value()) return false;
        plan = *planned;
        if (!plan.exchanged) plan.shard_size = value_.base.dim(i);
      }
      result_.slice_output |= plan.slice_output;
      plans_.push_back(plan);
    }
    return true;
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

  // All windowed dimensions are whole here: pad and cut.
  NodeId SliceLocally() {
    Shape padded = graph_.shape(value_.node);
    Shape cut = padded;
    uint64_t untouched = ~uint64_t{0};
    for (int64_t i = 0; i < value_.base.rank(); ++i) {
      const DimPlan& plan = At(plans_, i);
      cut.set_dim(i, plan.shard_size);
      if (target_.dim(i) == 1 || (IsTrivial(At(window_, i)) && !value_.tiling.IsReplicated())) {
        continue;
      }
      padded.set_dim(i, plan.padded_size);
      if (i < 64) untouched &= ~(uint64_t{1} << i);
    }
    NodeId node = value_.node;
    if (padded.dims() != value_.base.dims()) node = graph_.Pad(padded, node, fill_, untouched);
    return graph_.Slice(Opcode::kDynamicSlice, cut, {node});
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

  // The shard without what no device needs, its padding masked where it would be seen.
  Value Prepared() {
    Value at = value_;
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
    for (int64_t i = 0; i < Size(plans_); ++i) {
      const DimPlan& plan = At(plans_, i);
      part.set_dim(i, plan.slice_limit - plan.slice_start);
      at.base.set_dim(i, plan.base_size);
    }
    if (inside) at.node = graph_.Slice(Opcode::kSlice, part, {at.node});
    return at;
  }

  std::optional<NodeId> Exchange() {
    Value at = Prepared();
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
      region.mask = mask_.mask;
      region.mask_pieces = mask_.mask_pieces;
      const std::optional<NodeId> node = ExchangeRegion(at, halo, region, fill_);
      if (!node.has_value()) return std::nullopt;
      at.node = *node;
    }
    return at.node;
  }

  Windowed Finish(NodeId node) {
    result_.input = node;
    value_.scope->memory(value_.node).windows.push_back({target_, window_, result_});
    return result_;
  }

  const Value& value_;
  Graph& graph_;
  const hlo::Window& window_;
  const Tiling target_;  // in tile form, whatever the form of the value
  const NodeId fill_;
  const WindowMask mask_;
  std::vector<DimPlan> plans_;
  Windowed result_;
};

}  // namespace

int64_t WindowCount(const hlo::WindowDimension& d, int64_t size) {
  const int64_t padded = 1 + (size - 1) * d.base_dilation + d.padding_high + d.padding_low;
  return (padded - (1 + (d.size - 1) * d.window_dilation)) / d.stride + 1;
}

std::optional<Windowed> ReshardForWindow(const Value& value, const hlo::Window& window,
                                         const Tiling& target, NodeId fill, WindowMask mask) {
  return WindowReshard(value, window, target, fill, mask).Run();
}

std::optional<Sliced> SliceShards(const Value& value, const std::vector<hlo::SliceDimension>& slice,
                                  const Tiling& target, const Shape& result) {
  Graph& graph = value.scope->graph();
  hlo::Window window(slice.size());
  for (int64_t i = 0; i < Size(slice); ++i) {
    At(window, i).stride = At(slice, i).stride;
    At(window, i).padding_low = -At(slice, i).start;
    At(window, i).padding_high = At(slice, i).limit - value.base.dim(i);
  }
  const auto windowed = ReshardForWindow(value, window, target, graph.Zero(value.base),
                                         {/*mask=*/false, /*mask_pieces=*/false});
  if (!windowed.has_value()) return std::nullopt;
  Sliced out = {windowed->input, windowed->input};
  for (int64_t i = 0; i < Size(slice); ++i) {
    const hlo::WindowDimension& left = At(windowed->window, i);
    if (left.padding_low == 0 && left.padding_high == 0 && At(slice, i).stride == 1) continue;
    out.node = graph.Slice(Opcode::kSlice, ShardShape(result, target), {windowed->input});
    break;
  }
  return out;
}

std::optional<NodeId> PadShards(const Value& value,
                                const std::vector<hlo::PaddingDimension>& padding,
                                const Tiling& target, NodeId fill, const Shape& result) {
  Graph& graph = value.scope->graph();
  hlo::Window window(padding.size());
  WindowMask mask = {/*mask=*/false, /*mask_pieces=*/true};
  // A fill that is not known to be zero must be put in place by the mask.
  const bool zero = graph.IsZero(fill);
  for (int64_t i = 0; i < Size(padding); ++i) {
    const hlo::PaddingDimension& p = At(padding, i);
    At(window, i).padding_low = p.low;
    At(window, i).padding_high = p.high;
    At(window, i).base_dilation = p.interior + 1;
    const int64_t cuts = target.dim(i);
    mask.mask |= cuts > 1 && (p.low > 0 || p.high > 0 || p.interior > 0) &&
                 (!zero || value.base.dim(i) % cuts != 0);
  }
  const auto windowed = ReshardForWindow(value, window, target, fill, mask);
  if (!windowed.has_value()) return std::nullopt;
  Shape shape = graph.shape(windowed->input);
  uint64_t untouched = ~uint64_t{0};
  for (int64_t i = 0; i < Size(padding); ++i) {
    const hlo::WindowDimension& left = At(windowed->window, i);
    if (left.padding_low == 0 && left.padding_high == 0 && left.base_dilation == 1) continue;
    shape.set_dim(
        i, (shape.dim(i) - 1) * left.base_dilation + 1 + left.padding_low + left.padding_high);
    if (i < 64) untouched &= ~(uint64_t{1} << i);
  }
  NodeId node = windowed->input;
  if (untouched != ~uint64_t{0}) node = graph.Pad(shape, node, fill, untouched);
  if (!windowed->slice_output) return node;
  return graph.Slice(Opcode::kDynamicSlice, ShardShape(result, target), {node});
}

std::optional<NodeId> PadOnLeft(const Value& value, Ints dims) {
  if (value.tiling.IsMaximal()) return value.node;
  hlo::Window window(static_cast<size_t>(value.base.rank()));
  for (int64_t i : dims) {
    At(window, i).padding_low = RoundUp(value.base.dim(i), value.tiling.dim(i)) - value.base.dim(i);
  }
  const auto windowed =
      ReshardForWindow(value, window, value.tiling, value.scope->graph().Zero(value.base),
                       {/*mask=*/false, /*mask_pieces=*/false});
  if (!windowed.has_value()) return std::nullopt;
  return windowed->input;
}

}  // namespace tessera::sharding::partition
