#include "tessera/target/kernels/few_rows.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int64_t kRowsOfWholeTile = 8;
constexpr int kFewSteps = 8;  // element-wise operations in front of a reshape

// Both write rows in the order of their dimensions.
bool WritesRows(Opcode opcode) { return opcode == Opcode::kGather || opcode == Opcode::kScatter; }

// A reshape cuts the first dimension of `rows` in two, which makes it `array`. The second of the two is small.
bool HasFewRows(const layout::Shape& array, const layout::Shape& rows) {
  if (!array.is_array() || !rows.is_array() || rows.rank() != 2 || array.rank() != 3) return false;
  return array.dim(2) == rows.dim(1) && array.dim(1) > 1 && array.dim(1) < kRowsOfWholeTile &&
         array.NumElements() == rows.NumElements();
}

// Of an operation on each element: the operand that is such rows, or computed element by element; kNoId for none.
InstructionId RowsIn(const hlo::Module& module, InstructionId id) {
  for (const InstructionId operand : module.operands(id)) {
    const Opcode opcode = module.instruction(operand).opcode;
    const layout::Shape& array = module.shape(operand);
    const bool is_whole = array.is_array() && array.dims() == module.shape(id).dims();
    if (is_whole && (WritesRows(opcode) || KindOf(opcode) == OpKind::kElementwise)) return operand;
  }
  return hlo::kNoId;
}

}  // namespace

bool IsRepeatedInFewRows(const hlo::Module& module, InstructionId broadcast,
                         InstructionId reshape) {
  if (module.instruction(broadcast).opcode != Opcode::kBroadcast ||
      module.instruction(reshape).opcode != Opcode::kReshape ||
      !HasFewRows(module.shape(broadcast), module.shape(reshape)))
    return false;
  const auto dims = hlo::GetInts(module, broadcast, hlo::AttributeName::kDimensions);
  return dims.has_value() && absl::c_linear_search(*dims, 2) && !absl::c_linear_search(*dims, 1);
}

FewRows::FewRows(const hlo::Module& module, const std::vector<InstructionId>& order)
    : module_(module) {
  for (const InstructionId id : order) {
    if (module.instruction(id).opcode != Opcode::kReshape) continue;
    AddGathered(id);
    const InstructionId operand = module.operands(id)[0];
    if (IsRepeatedInFewRows(module, operand, id)) few_.emplace(operand, operand);
  }
}

void FewRows::AddGathered(InstructionId reshape) {
  InstructionId id = module_.operands(reshape)[0];
  if (!HasFewRows(module_.shape(reshape), module_.shape(id))) return;
  for (int steps = 0; steps < kFewSteps && id != hlo::kNoId; ++steps) {
    if (WritesRows(module_.instruction(id).opcode)) {
      few_.emplace(id, reshape);
      few_.emplace(reshape, reshape);
      return;
    }
    id = RowsIn(module_, id);
  }
}

}  // namespace tessera::target
