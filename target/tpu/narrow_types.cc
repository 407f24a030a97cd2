// narrow-collectives: what is only read as bf16 is exchanged as bf16.
//
//   g = f32[64,8] all-gather(x), d = dot(y, g) at default precision
//   ->  g = convert(bf16[64,8] all-gather(convert(x))) to f32
//
// Read as bf16 are operands of dots and convolutions at default precision, and what a convert to bf16
// takes. Between may stand whatever keeps its operand's precision, as XLA's bf16 propagation has it:
// moves, choices, padding, other collectives; every use counts. Of f32 all-gathers, all-reduces,
// reduce-scatters, all-to-alls and permutes of one array; found from outside.

#include <vector>

#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using layout::ElementType;

constexpr char kName[] = "narrow-collectives";

// The result is as precise as this operand.
bool IsMove(const DeviceProgram& program, InstructionId user, InstructionId operand) {
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

bool IsOfDefaultPrecision(const DeviceProgram& program, InstructionId id) {
  const auto precision = program.module().FindAttribute(id, hlo::AttributeName::kOperandPrecision);
  return !precision.has_value() ||
         !(absl::StrContains(*precision, "high") || absl::StrContains(*precision, "HIGH"));
}

bool ReadsAsBf16(const DeviceProgram& program, InstructionId user) {
  switch (program.opcode(user)) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return IsOfDefaultPrecision(program, user);
    case Opcode::kConvert:
      return program.shape(user).element_type() == ElementType::kBf16;
    default:
      return false;
  }
}

// Which instructions are read as bf16 everywhere, through moves too. Linear in the program.
class Readers {
 public:
  explicit Readers(DeviceProgram* program)
      : read_as_bf16_(program->module().num_instructions(), false) {
    for (const ComputationId c : program->Computations()) {
      const std::vector<InstructionId>& order = program->PostOrder(c);
      for (auto id = order.rbegin(); id != order.rend(); ++id) Look(*program, *id);
    }
  }

  bool ReadAsBf16(InstructionId id) const { return read_as_bf16_[id]; }

 private:
  // Users have been looked at.
  void Look(const DeviceProgram& program, InstructionId id) {
    bool is = program.HasUsers(id) && !program.IsRoot(id);
    program.ForEachUse(id, [&](InstructionId user) {
      is &= ReadsAsBf16(program, user) || (IsMove(program, user, id) && read_as_bf16_[user]);
    });
    read_as_bf16_[id] = is;
  }

  std::vector<bool> read_as_bf16_;  // by InstructionId
};

bool IsCandidate(const DeviceProgram& program, InstructionId id) {
  if (!IsCollective(program.opcode(id)) || program.operands(id).size() != 1) return false;
  if (program.IsPinned(id) || !program.shape(id).is_array()) return false;
  if (program.shape(id).element_type() != ElementType::kF32) return false;
  const bool is_sum =
      program.opcode(id) == Opcode::kAllReduce || program.opcode(id) == Opcode::kReduceScatter;
  return !is_sum || ReductionOf(program, id).has_value();
}

void Narrow(Context& context, InstructionId id) {
  DeviceProgram& program = context.program;
  const InstructionId operand = AddConvert(program, program.operand(id, 0), ElementType::kBf16);
  const InstructionId narrow =
      program.Clone(id, {operand}, Retyped(program.shape(id), ElementType::kBf16));
  if (const auto reduction = ReductionOf(program, id); reduction.has_value()) {
    SetReducer(context, narrow, *reduction);
  }
  context.origins.Set(kName, program, narrow, {id});
  program.ReplaceUses(id, AddConvert(program, narrow, ElementType::kF32));
  program.RemoveDead(id);
}

}  // namespace

absl::Status NarrowCollectives(Context& context) {
  DeviceProgram& program = context.program;
  const Readers readers(&program);
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (IsCandidate(program, id) && readers.ReadAsBf16(id)) Narrow(context, id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
