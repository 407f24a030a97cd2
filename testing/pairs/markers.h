// Targets of the custom calls that carry shardings through HLO, as they print (quotes included).

#ifndef TESSERA_TESTING_PAIRS_MARKERS_H_
#define TESSERA_TESTING_PAIRS_MARKERS_H_

#include "absl/strings/string_view.h"

namespace tessera::testing::pairs {

inline constexpr absl::string_view kShardingTarget = "\"Sharding\"";
inline constexpr absl::string_view kResultSharding = "\"xla.sdy.FuncResultSharding\"";
inline constexpr absl::string_view kBarrier = "\"xla.sdy.PropagationBarrier\"";
inline constexpr absl::string_view kGroup = "\"xla.sdy.ShardingGroup\"";
inline constexpr absl::string_view kGlobalToLocal = "\"xla.sdy.GlobalToLocalShape\"";
inline constexpr absl::string_view kLocalToGlobal = "\"xla.sdy.LocalToGlobalShape\"";
inline constexpr absl::string_view kFullToShard = "\"SPMDFullToShardShape\"";
inline constexpr absl::string_view kShardToFull = "\"SPMDShardToFullShape\"";

// Calls that the pass takes away without a trace.
inline bool IsConsumedTarget(absl::string_view target) {
  return target == kResultSharding || target == kBarrier || target == kGroup;
}

// Ways into and out of a manual computation, before and after the pass.
inline bool IsBoundaryTarget(absl::string_view target) {
  return target == kGlobalToLocal || target == kLocalToGlobal || target == kFullToShard ||
         target == kShardToFull;
}

// The conversion for a boundary call of the source, one for each value but tokens.
inline absl::string_view ConversionOf(absl::string_view target) {
  return target == kGlobalToLocal || target == kFullToShard ? kFullToShard : kShardToFull;
}

inline bool IsMarker(absl::string_view target) {
  return target == kShardingTarget || IsConsumedTarget(target) || IsBoundaryTarget(target);
}

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_MARKERS_H_
