// W windows over n shards: shard i computes windows [w i, w (i+1)) with w = ceil(W / n). It needs
// the elements from the first one of window w i to the last one of window w (i+1) - 1. It holds its
// shard, moved by the padding on the left; the difference is the halo. Shards without useful data
// at the right end or in the middle take no part in the exchange. Linear in the shards. XLA:
// PartitionedHlo::ReshardAsWindowedInput, the offset functions per dimension. Tested by
// partitioner_test.cc.

#include "tessera/sharding/partition/reshard/windows/window_plan.h"

#include <algorithm>

#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

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
    if (few && plan_.input_size == 0) {
      plan_.crash = DimPlan::Crash::kNoElements;
      return plan_;
    }
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
    if (w_.base_dilation != 1 && !Dilate(extent)) return std::nullopt;
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

  bool Dilate(int64_t extent) {
    if (left_->padding_low < 0) plan_.crash = DimPlan::Crash::kPartOfElement;
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
    plan_.per_shard = geometry_.per_shard;
    plan_.first_in_output = {w_.base_dilation, left_->padding_low - most};
    left_->padding_low = most;
    return true;
  }

  const hlo::WindowDimension& w_;
  const int64_t base_;
  const Geometry geometry_;
  hlo::WindowDimension* left_;
  DimPlan plan_;
};

}  // namespace

int64_t WindowCount(const hlo::WindowDimension& d, int64_t size) {
  const int64_t padded = 1 + (size - 1) * d.base_dilation + d.padding_high + d.padding_low;
  return (padded - (1 + (d.size - 1) * d.window_dilation)) / d.stride + 1;
}

bool IsTrivial(const hlo::WindowDimension& d) {
  return d.size == 1 && d.stride == 1 && d.padding_low == 0 && d.padding_high == 0 &&
         d.window_dilation == 1 && d.base_dilation == 1;
}

std::optional<DimPlan> PlanDim(const hlo::WindowDimension& window, int64_t base, int64_t shard,
                               int64_t shards, hlo::WindowDimension* left) {
  return DimPlanner(window, base, shard, shards, left).Run();
}

}  // namespace tessera::sharding::partition
