// Code that the user has divided among the devices: work on a single device, or, with a manual
// subgroup, inside its groups.

#ifndef TESSERA_SHARDING_PARTITION_OPS_MANUAL_CODE_H_
#define TESSERA_SHARDING_PARTITION_OPS_MANUAL_CODE_H_

#include "absl/status/status.h"
#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// Handled as it stands, whatever is manual about it.
bool SeesManual(hlo::Opcode opcode);

// The visit as manual code sees it; any other one as it was. InvalidArgument where the groups of an
// operand are not those of the result.
absl::Status EnterManualCode(Visit& v);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_MANUAL_CODE_H_
