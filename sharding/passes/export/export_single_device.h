// Ops that run on one device: their operands come from a replicated value, their results become
// one.
//
//   y = callback(x [{"a"}]) on device 0     ->     r = reshard(x) [{}]; d = reshard(r) on device 0
//                                                  y = callback(d) on device 0; z = reshard(y) [{}]
//
// Each operand and each result gets reshards of its own. The steps between the device and
// "replicated" change nothing that anyone could see, so Finish() drops them; one older release
// writes them (Behaviors::single_device_second_copy).

#ifndef TESSERA_SHARDING_PASSES_EXPORT_EXPORT_SINGLE_DEVICE_H_
#define TESSERA_SHARDING_PASSES_EXPORT_EXPORT_SINGLE_DEVICE_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/export/reshard_inserter.h"

namespace tessera::sharding::passes {

class SingleDeviceOps {
 public:
  explicit SingleDeviceOps(HloProgram& program);

  // Reshards around `op` if one of its results is on a single device. InvalidArgument, without a
  // place, if two of them are on different ones.
  absl::Status Visit(Op* op);
  // InvalidArgument, at the instruction, for a parameter or result on a single device.
  absl::Status CheckBorder(const Function* f) const;
  // Drops the steps that change nothing.
  void Finish();

 private:
  // The sharding on one device that a result of the op has; kNoSharding if there is none.
  absl::StatusOr<ShardingId> DeviceOf(const Op* op) const;
  bool IsOnOneDevice(ShardingId id) const;
  ShardingId Replicated(const Value* value);
  void MoveOperand(Use& use, ShardingId device);
  void MoveResult(Value* result, ShardingId device);

  HloProgram& program_;
  ReshardInserter inserter_;
  const bool is_on_;
  MeshId mesh_ = kNoMesh;   // the first one of the module of more than one device
  std::vector<Op*> steps_;  // between a device and "replicated"
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EXPORT_EXPORT_SINGLE_DEVICE_H_
