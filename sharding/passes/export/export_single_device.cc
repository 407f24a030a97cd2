#include "tessera/sharding/passes/export/export_single_device.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/constant_text.h"
#include "tessera/sharding/passes/queries/op_error.h"

namespace tessera::sharding::passes {

SingleDeviceOps::SingleDeviceOps(HloProgram& program)
    : program_(program),
      inserter_(program),
      is_on_(program.behaviors().single_device_operands_are_replicated) {
  for (MeshId id = 0; id < program.meshes().size() && mesh_ == kNoMesh; ++id) {
    if (!program.meshes().mesh(id).is_maximal()) mesh_ = id;
  }
}

bool SingleDeviceOps::IsOnOneDevice(ShardingId id) const {
  return id != kNoSharding && program_.meshes().mesh(program_.Find(id)->mesh_id()).is_maximal();
}

absl::StatusOr<ShardingId> SingleDeviceOps::DeviceOf(const Op* op) const {
  ShardingId device = kNoSharding;
  for (const Value& result : op->results) {
    if (!IsOnOneDevice(result.sharding())) continue;
    if (device != kNoSharding && device != result.sharding()) {
      return absl::InvalidArgumentError(
          "two results are on different single devices; put all results on the same one");
    }
    device = result.sharding();
  }
  return device;
}

ShardingId SingleDeviceOps::Replicated(const Value* value) {
  return program_.shardings().Intern(TensorSharding::FullyClosed(mesh_, value->rank()));
}

void SingleDeviceOps::MoveOperand(Use& use, ShardingId device) {
  const auto reshard = [&](ShardingId to) {
    Op* op = inserter_.AddReshard(use.value(), *program_.Find(to), InsertPoint::Before(use.user()));
    use.Set(op->result());
    return op;
  };
  const ShardingId from = EffectiveSharding(program_, use.value());
  if (!use.value()->is_array() || from == device) return;
  const ShardingId replicated = Replicated(use.value());
  if (from != kNoSharding && from != replicated) reshard(replicated);
  steps_.push_back(reshard(device));
}

void SingleDeviceOps::MoveResult(Value* result, ShardingId device) {
  if (!result->is_array()) return;
  const ShardingId wanted = result->sharding();
  result->set_sharding(device);
  if (!result->has_uses()) return;
  Value* value = result;
  const auto reshard = [&](ShardingId to) {
    Op* op = inserter_.AddReshard(value, *program_.Find(to), InsertPoint::After(value));
    value->ReplaceOtherUsesWith(op->result());
    value = op->result();
    return op;
  };
  steps_.push_back(reshard(Replicated(result)));
  if (wanted != kNoSharding && !IsOnOneDevice(wanted)) reshard(wanted);
}

absl::Status SingleDeviceOps::Visit(Op* op) {
  if (!is_on_ || mesh_ == kNoMesh) return absl::OkStatus();
  const absl::StatusOr<ShardingId> device = DeviceOf(op);
  if (!device.ok() || *device == kNoSharding) return device.status();
  // Between recv and recv-done nothing is moved: they are one op to the reference.
  if (!HasOpcode(op, hlo::Opcode::kRecvDone)) {
    for (Use& use : op->operands) MoveOperand(use, *device);
  }
  if (!HasOpcode(op, hlo::Opcode::kRecv)) {
    for (Value& result : op->results) MoveResult(&result, *device);
  }
  return absl::OkStatus();
}

absl::Status SingleDeviceOps::CheckBorder(const Function* f) const {
  if (!is_on_) return absl::OkStatus();
  const Op* ret = f->body->terminator();
  for (const Value* arg : f->body->args) {
    if (!IsOnOneDevice(arg->sharding())) continue;
    return ErrorAtOp(program_, ret,
                     absl::StrCat("parameter ", arg->index(),
                                  " of the computation is on a single "
                                  "device; give it a sharding on a mesh, or none"));
  }
  for (size_t i = 0; i < f->result_shardings.size(); ++i) {
    if (!IsOnOneDevice(f->result_shardings[i])) continue;
    return ErrorAtOp(program_, ret,
                     absl::StrCat("result ", i,
                                  " of the computation is on a single device; give it "
                                  "a sharding on a mesh, or none"));
  }
  return absl::OkStatus();
}

void SingleDeviceOps::Finish() {
  if (program_.behaviors().single_device_second_copy) return;
  for (Op* step : steps_) program_.Replace(step, {step->operand(0)});
}

}  // namespace tessera::sharding::passes
