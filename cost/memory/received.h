// What instructions receive from other devices.
//
//   ReceivedIn(module, *FindCollectives(module, behaviors))    // {all-gather's reader: 8192 bytes, ..}
//
// Cost: linear in the collectives. Tested by device_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_RECEIVED_H_
#define TESSERA_COST_MEMORY_RECEIVED_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {

// Bytes of the results of the collectives that an instruction asks for.
using Received = absl::flat_hash_map<hlo::InstructionId, int64_t>;

// What the result of a computation asks for counts at the root of the entry. kOverflow.
absl::StatusOr<Received> ReceivedIn(const hlo::Module& module,
                                    const sharding::partition::Partitioned& found);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_RECEIVED_H_
