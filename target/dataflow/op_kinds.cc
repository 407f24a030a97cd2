#include "tessera/target/dataflow/op_kinds.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

constexpr int64_t kLongRow = 2048;  // that a product does not compute at once

// Copies are kernels of their own.
bool ComputesElementwise(Opcode opcode) {
  if (opcode == Opcode::kBitcastConvert || opcode == Opcode::kMap) return true;
  return opcode != Opcode::kCopy && projection::IsElementwise(opcode);
}

constexpr Opcode kMoves[] = {Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kDynamicSlice,
                             Opcode::kPad,       Opcode::kReverse,     Opcode::kSlice};

constexpr Opcode kViews[] = {Opcode::kBitcast, Opcode::kOptBarrier, Opcode::kReshape,
                             Opcode::kTranspose};

constexpr Opcode kFree[] = {Opcode::kAfterAll, Opcode::kConstant, Opcode::kIota,
                            Opcode::kPartitionId, Opcode::kReplicaId};

using Kinds = std::array<OpKind, hlo::kNumOpcodes>;

Kinds MakeTable() {
  Kinds table;
  table.fill(OpKind::kHeavy);
  const auto row = [&](Opcode opcode) -> OpKind& { return table[static_cast<size_t>(opcode)]; };
  for (int k = 0; k < hlo::kNumOpcodes; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    if (ComputesElementwise(opcode)) row(opcode) = OpKind::kElementwise;
  }
  for (const Opcode opcode : kMoves) row(opcode) = OpKind::kMove;
  for (const Opcode opcode : kViews) row(opcode) = OpKind::kView;
  for (const Opcode opcode : kFree) row(opcode) = OpKind::kFree;
  return table;
}

constexpr int64_t kTiled = 2;  // dimensions, the last ones

// A slice with a stride in a dimension from `first` on, or a pad with interior padding.
bool IsStrided(const hlo::Module& module, hlo::InstructionId id, int64_t first) {
  switch (module.instruction(id).opcode) {
    case Opcode::kSlice: {
      const auto dims = hlo::GetSlice(module, id);
      return std::any_of(dims.begin() + std::max<int64_t>(first, 0), dims.end(),
                         [](const hlo::SliceDimension& d) { return d.stride > 1; });
    }
    case Opcode::kPad:
      return absl::c_any_of(hlo::GetPadding(module, id),
                            [](const hlo::PaddingDimension& d) { return d.interior > 0; });
    default:
      return false;
  }
}

}  // namespace

OpKind KindOf(Opcode opcode) {
  static const Kinds table = MakeTable();
  return table[static_cast<size_t>(opcode)];
}

bool IsMessage(Opcode opcode) {
  return IsCollective(opcode) || opcode == Opcode::kSend || opcode == Opcode::kRecv;
}

bool IsProduct(Opcode opcode) { return hlo::IsContraction(opcode); }

bool IsReduction(Opcode opcode) {
  return opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow;
}

bool IsRowWindow(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == Opcode::kReduceWindow && module.shape(id).is_array() &&
         module.shape(id).NumElements() == module.shape(module.operands(id)[0]).NumElements();
}

bool IsOfLongRows(const hlo::Module& module, hlo::InstructionId id) {
  return IsRowWindow(module, id) &&
         absl::c_any_of(hlo::GetWindow(module, id),
                        [](const hlo::WindowDimension& d) { return d.size >= 2 * kLongRow - 1; });
}

bool StandsForCopy(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kReverse) return false;
  return hlo::GetInts(module, id, hlo::AttributeName::kDimensions).value_or(hlo::IntList()).empty();
}

bool MovesFromMemory(const hlo::Module& module, hlo::InstructionId id, Opcode maker, bool shared) {
  const bool is_slice = module.instruction(id).opcode == Opcode::kSlice;
  return (is_slice && shared && KindOf(maker) == OpKind::kElementwise) || IsStrided(module, id, 0);
}

bool MovesToMemory(const hlo::Module& module, hlo::InstructionId id) {
  const bool is_slice = module.instruction(id).opcode == Opcode::kSlice;
  return StandsForCopy(module, id) ||
         IsStrided(module, id, is_slice ? module.shape(id).rank() - kTiled : 0);
}

bool FusesOperand(const hlo::Module& module, hlo::InstructionId id, uint32_t operand) {
  const Opcode opcode = module.instruction(id).opcode;
  switch (opcode) {
    case Opcode::kCustomCall:
      return hlo::GetCustomCallTarget(module, id) == "TopK";
    case Opcode::kDynamicSlice:
      return operand == 0;
    case Opcode::kDynamicUpdateSlice:
      return operand == 1;
    case Opcode::kSelectAndScatter:
      return operand != 0;
    default:
      return KindOf(opcode) == OpKind::kElementwise || KindOf(opcode) == OpKind::kMove ||
             IsProduct(opcode) || IsReduction(opcode);
  }
}

}  // namespace tessera::target
