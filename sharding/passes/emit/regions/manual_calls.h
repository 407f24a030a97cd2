// Names around manual computations, which the lowering of shard_maps and of changes of unreduced
// axes both need. Internal to the package.

#ifndef TESSERA_SHARDING_PASSES_EMIT_REGIONS_MANUAL_CALLS_H_
#define TESSERA_SHARDING_PASSES_EMIT_REGIONS_MANUAL_CALLS_H_

namespace tessera::sharding::passes {

// The name of the computation that a manual computation calls.
inline constexpr char kManualBody[] = "xla.sdy.inlinable_manual_computation_body";

// Targets of the custom calls that convert between global and local shapes.
inline constexpr char kFullToShard[] = "SPMDFullToShardShape";
inline constexpr char kShardToFull[] = "SPMDShardToFullShape";

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_REGIONS_MANUAL_CALLS_H_
