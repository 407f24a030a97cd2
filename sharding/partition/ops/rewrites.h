// Rewrites before partitioning, so that data moves once instead of twice: a slice of a pad becomes
// one pad, and a concatenation that rotates an array becomes a rotation. XLA:
// SpmdPartitioner::PreprocessHlos; HandleCustomCallSPMDInternal_RotateRight.

#ifndef TESSERA_SHARDING_PARTITION_OPS_REWRITES_H_
#define TESSERA_SHARDING_PARTITION_OPS_REWRITES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/ops/visit.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"

namespace tessera::sharding::partition {

struct Rewrite {
  enum class Kind : uint8_t { kPad, kRotate, kPadWithWrap };
  Kind kind = Kind::kPad;
  std::vector<hlo::InstructionId> operands;
  hlo::InstructionId cause = hlo::kNoId;
  std::vector<hlo::PaddingDimension> padding;  // of a pad
  int64_t dim = 0;                             // of a rotation
  int64_t amount = 0;                          // to the right
};

struct Rewrites {
  absl::flat_hash_map<hlo::InstructionId, Rewrite> rewritten;
  absl::flat_hash_set<hlo::InstructionId> dropped;  // no longer used by anything
};

// Among these slices and concatenations, in order of the module.
Rewrites FindRewrites(const ModuleView& view, const InstructionLeaves& leaves,
                      absl::Span<const hlo::InstructionId> slices_and_concatenations);
absl::StatusOr<NodeId> RunRewritten(Visit& v, const Rewrite& rewrite);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_REWRITES_H_
