#include "tessera/target/tpu/bf16_reads.h"

#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"

namespace tessera::target {
namespace {

bool IsOfDefaultPrecision(const DeviceProgram& program, InstructionId id) {
  const auto precision = program.module().FindAttribute(id, hlo::AttributeName::kOperandPrecision);
  return !precision.has_value() ||
         !(absl::StrContains(*precision, "high") || absl::StrContains(*precision, "HIGH"));
}

}  // namespace

bool ReadsAsBf16(const DeviceProgram& program, InstructionId user) {
  switch (program.opcode(user)) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return IsOfDefaultPrecision(program, user);
    case Opcode::kConvert:
      return program.shape(user).element_type() == layout::ElementType::kBf16;
    default:
      return false;
  }
}

bool KeepsPrecision(const DeviceProgram& program, InstructionId user, InstructionId operand) {
  switch (program.opcode(user)) {
    case Opcode::kAbs:
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kClamp:
    case Opcode::kCollectivePermute:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSelect:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return program.operand(user, 0) == operand;
    default:
      return false;
  }
}

}  // namespace tessera::target
