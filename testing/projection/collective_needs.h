// Collectives of an SPMD module: what one device's block of the result needs of the operand on each
// device.
//
//   // all-gather of f32[4] over 8 devices, rank 3 asks for cells [6, 10) of its f32[32]:
//   CollectiveNeeds(module, id, 3, zr[6:10])    // rank 1: zr[2:4], rank 2: zr[0:2]
//
// SignatureOf() answers for one device alone: the union over the ranks, as a region of its own
// operand.
#ifndef TESSERA_TESTING_PROJECTION_COLLECTIVE_NEEDS_H_
#define TESSERA_TESTING_PROJECTION_COLLECTIVE_NEEDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

struct RankedNeed {
  int64_t rank;  // within the replica group; for a permute the id of the device
  ZSet cells;    // of the operand there
  int operand;   // its number
};

// Of array `leaf` of the result, for all-gather, all-reduce, reduce-scatter, all-to-all,
// collective-permute and collective-broadcast, their starts included: ranks without need are left
// out. kNotSupported for other operations.
absl::StatusOr<std::vector<RankedNeed>> CollectiveNeeds(const hlo::Module& module,
                                                        hlo::InstructionId id, int64_t rank,
                                                        const ZRange& block, int leaf = 0);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_COLLECTIVE_NEEDS_H_
