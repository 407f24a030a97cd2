// Manual code (shard_map): instructions run on each device, or, with a manual subgroup, inside its
// groups. XLA: SpmdPartitioningVisitor::Preprocess, visiting_hlo with manual sharding.

#ifndef TESSERA_SHARDING_PARTITION_OPS_MANUAL_CODE_H_
#define TESSERA_SHARDING_PARTITION_OPS_MANUAL_CODE_H_

#include "absl/status/status.h"
#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// Handled without manual rules, also in manual code.
bool SeesManual(hlo::Opcode opcode);

// Converts the visit of an instruction in manual code; leaves others unchanged. InvalidArgument if
// the groups of an operand differ from those of the result.
absl::Status EnterManualCode(Visit& v);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_MANUAL_CODE_H_
