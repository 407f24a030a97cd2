// The shape that an instruction of a sharded module has on one device.
//
//   // x = f32[16,64] parameter(0), sharding={devices=[4,2]<=[8]}
//   ShardShapeOf(module, x)      // f32[4,32]
//
// Only what an instruction says itself: the module that a device runs is partition::PartitionModule.
// Tested by step_cost_test.cc.

#ifndef TESSERA_COST_STEP_SHARD_SHAPE_H_
#define TESSERA_COST_STEP_SHARD_SHAPE_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::cost {

// The largest tile counts. What has no sharding keeps its shape, as does what is in manual code; an
// element of a tuple is as the tuple says.
absl::StatusOr<layout::Shape> ShardShapeOf(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_SHARD_SHAPE_H_
