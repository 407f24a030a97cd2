#include "tessera/cost/memory/received.h"

#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {

absl::StatusOr<Received> ReceivedIn(const hlo::Module& module,
                                    const sharding::partition::Partitioned& found) {
  Received received;
  for (const sharding::partition::Collective& c : found.collectives) {
    const hlo::InstructionId at = c.cause != hlo::kNoId ? c.cause : module.entry().root;
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(c.shape));
    int64_t& sum = received[at];
    if (!AddFits(sum, sizes.alloc_bytes, &sum)) {
      return projection::OverflowError("the bytes of messages");
    }
  }
  return received;
}

}  // namespace tessera::cost
