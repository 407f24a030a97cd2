// The halo of one windowed dimension: which shards take part, and which elements each needs.
//
//   // f32[16] in 4 shards, windows of 3 with stride 1 and padding 1 on both sides
//   hlo::WindowDimension left = window;
//   const auto plan = PlanDim(window, 16, 4, 4, &left);
//   plan->first.At(1);    // 4: the first element of the padded array that shard 1 needs
//   plan->limit.At(1);    // 10: after the last one
//   plan->left_padding;   // 1, and left.padding_low is 0: the exchange adds this padding

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_WINDOW_PLAN_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_WINDOW_PLAN_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"

namespace tessera::sharding::partition {

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
  // If that is so: windows of a shard, and where the first one of `first` is in the dilated shard.
  int64_t per_shard = 0;
  Offset first_in_output;
  // Inputs on which XLA crashes: padding that removes a part of an element, or an array without
  // elements.
  enum class Crash : uint8_t { kNone, kPartOfElement, kNoElements };
  Crash crash = Crash::kNone;
};

// Size 1 and nothing else: every element is its own window.
bool IsTrivial(const hlo::WindowDimension& window);

// For an array of `base` elements in `shards` shards of `shard` elements each. `left` becomes the
// window that remains for the shard. Nothing: XLA does not partition this window.
std::optional<DimPlan> PlanDim(const hlo::WindowDimension& window, int64_t base, int64_t shard,
                               int64_t shards, hlo::WindowDimension* left);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_WINDOW_PLAN_H_
